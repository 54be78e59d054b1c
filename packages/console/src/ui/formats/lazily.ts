/**
 * Returns a function that makes a value at its first call. Formats of `Intl` are made so: the first of each kind takes Chromium 10 to 100 ms, and
 * would delay the first paint if a module made it when it is loaded.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
