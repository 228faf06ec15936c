// `fetch` gives up after 300 s without a byte, which would kill a model that thinks silently for longer. Here that limit
// is ours. It counts bytes and not words: a provider that sends keep-alives while it thinks is not silent.

export type FetchLimits = {
  /** Without a byte for so long, before the answer or within it, the call ends as silent. */
  silenceMs: number;
  /** For name, connection and TLS together. */
  connectMs: number;
};

export const USUAL_FETCH_LIMITS: FetchLimits = { silenceMs: 10 * 60_000, connectMs: 10_000 };

export type PatientFetch = { fetch: typeof fetch; open(): Promise<typeof fetch> };

export function patientFetch(limits: FetchLimits): PatientFetch {
  let opened: Promise<typeof fetch> | undefined;
  const open = () => (opened ??= openFetch(limits)); // with the first call: a server that calls no model need not carry undici (28 MB)
  return { open, fetch: async (input, init) => (await open())(input, init) };
}

async function openFetch({ silenceMs, connectMs }: FetchLimits): Promise<typeof fetch> {
  const undici = await import("undici");
  const dispatcher = new undici.Agent({
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect: { timeout: connectMs },
  });
  type Call = Parameters<typeof undici.fetch>;
  const patient = (input: Call[0], init: Call[1]) => undici.fetch(input, { ...init, dispatcher });
  return patient as unknown as typeof fetch; // one standard, declared once by Node's types and once by undici's
}
