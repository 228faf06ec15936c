// The memory of large pages. It lies outside V8's heap but counts as garbage: left to the collector, a replay of 10,000
// facts brings on every other time a collection of the whole heap, which takes longer than the replay itself. Given back
// when it has been sent, it serves the next page.

const LARGE_BYTES = 64 * 1024;

/** What gives the memory back, for bytes that nobody else holds; undefined where that is not worth it. */
export function releaseOf(bytes: Buffer): (() => void) | undefined {
  const { buffer } = bytes;
  if (bytes.length < LARGE_BYTES || !(buffer instanceof ArrayBuffer)) return undefined; // a small one may lie in a pool
  return () => void (buffer.detached || buffer.transfer(0));
}
