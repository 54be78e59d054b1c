/** Lets time pass: an idle system is watched, a pace is kept. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
