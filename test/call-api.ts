/** Sends JSON and gives the answer's; a refusal is thrown. */
export async function callApi<T = unknown>(
  server: { fetch(path: string, init?: RequestInit): Promise<Response> },
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await server.fetch(path, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T; // the API's own schema made it
}
