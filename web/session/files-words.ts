/** How many files go along. */
export function filesWords(count: number): string {
  return count === 1 ? "a file" : `${count} files`;
}
