/** Lets time pass: a service settles, a pace is kept. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
