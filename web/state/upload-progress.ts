// How far an upload has come. fetch does not tell that, the older XMLHttpRequest does: so files go up by the latter, and the
// client above notices no difference.

type Hear = (share: number) => void;
const hearers = new WeakMap<Blob, Hear>();

/** Told how much of this body is on its way, from 0 to 1; of a second try from the beginning again. */
export function hearProgress(body: Blob, hear: Hear): void {
  hearers.set(body, hear);
}

export const fetchWithProgress: typeof fetch = (address, init) => {
  const hear = init?.body instanceof Blob ? hearers.get(init.body) : undefined;
  return hear && typeof address === "string" ? send(address, init ?? {}, hear) : fetch(address, init);
};

function send(address: string, init: RequestInit, hear: Hear): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal, method = "POST", headers, body } = init;
    if (signal?.aborted) return reject(signal.reason as Error);
    const request = new XMLHttpRequest();
    request.open(method, address);
    new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.onprogress = ({ loaded, total }) => hear(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve(responseOf(request));
    // As fetch would say it: what went wrong is not told to pages.
    request.onerror = () => reject(new TypeError("the upload was cut off"));
    request.onabort = () =>
      reject((signal?.reason as Error | undefined) ?? new TypeError("the upload was aborted"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body as Blob); // only those come here
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ["content-type", "retry-after"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}
