/**
 * Returns a function that makes a value at its first call. Formats of `Intl` are made so: the first of each kind in a process takes Chromium 10 to 30 ms,
 * on a phone four times as many, and would delay the first paint if a module made it when it is loaded.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
