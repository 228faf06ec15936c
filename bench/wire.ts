// The leanest clients that Node has, so that what is timed is the server: keep-alive requests, and readers over
// server-sent events and over a WebSocket that tell the moment at which a given text reached them.
import { Agent, request, type IncomingMessage } from "node:http";
import { WebSocket } from "ws";

export type Address = { url: string; token?: string };

const agent = new Agent({ keepAlive: true });

export type Answer = { status: number; headers: IncomingMessage["headers"]; body: Buffer };

export async function send(
  { url, token }: Address,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await open({ url, ...(token === undefined ? {} : { token }) }, method, path, body);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Resolves with the head of the answer; its body is still to be read. */
export function open(
  address: Address,
  method: string,
  path: string,
  body?: object,
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      address.url + path,
      {
        method,
        agent,
        headers: {
          ...(address.token === undefined ? {} : { authorization: `Bearer ${address.token}` }),
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      resolve,
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

export type Follower = {
  /** When a text with this in it has come; asked for before it is sent. */
  arrival(mark: string): Promise<number>;
};

export async function followSse(
  stack: AsyncDisposableStack,
  address: Address,
  path: string,
): Promise<Follower> {
  const response = await open(address, "GET", path);
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  stack.defer(() => void response.destroy());
  const { follower, look } = makeFollower();
  response.on("data", look);
  return follower;
}

/** Resolves when the session's log has been caught up with. */
export async function followSocket(
  stack: AsyncDisposableStack,
  address: Address,
  session: string,
  after?: string,
): Promise<Follower> {
  const socket = new WebSocket(`${address.url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${address.token ?? ""}` },
    perMessageDeflate: false,
  });
  stack.defer(() => socket.terminate());
  const { follower, look } = makeFollower();
  const caughtUp = follower.arrival('"op":"caught_up"');
  socket.on("message", (data: Buffer) => look(data));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.send(JSON.stringify({ op: "attach", session, after }));
  await caughtUp;
  return follower;
}

function makeFollower(): { follower: Follower; look: (chunk: Buffer) => void } {
  let sought: { mark: string; found: (at: number) => void } | undefined;
  return {
    follower: {
      arrival: (mark) => new Promise((found) => (sought = { mark, found })),
    },
    look(chunk) {
      if (!sought || !chunk.includes(sought.mark)) return;
      const at = performance.now();
      sought.found(at);
      sought = undefined;
    },
  };
}

/** Takes an input back once it was measured: a queue has its bound. */
export async function withdraw(address: Address, inputs: string, admitted: Buffer): Promise<void> {
  const { input } = JSON.parse(admitted.toString()) as { input: string };
  const { status } = await send(address, "DELETE", `${inputs}/${input}`);
  if (status >= 300) throw new Error(`an input could not be withdrawn: ${status}`);
}
