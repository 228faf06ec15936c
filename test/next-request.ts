// The next request that comes in, as the server in this process has it: what it knows of its client is seen there first.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type ServedRequest = { request: IncomingMessage; response: ServerResponse; socket: Socket };

export function nextRequest(): Promise<ServedRequest> {
  return new Promise((resolve) => {
    const began = (message: unknown) => {
      unsubscribe("http.server.request.start", began);
      resolve(message as ServedRequest); // as Node documents it
    };
    subscribe("http.server.request.start", began);
  });
}
