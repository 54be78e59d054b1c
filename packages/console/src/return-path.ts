/**
 * Where a person goes on who signs in at another service: the path they left from, kept in this tab over the way there and back.
 * A path of this page alone: whatever else came to lie there leads nowhere.
 */
const kept = 'perch-return-path';

/** Before leaving. @param path undefined: to where everybody begins */
export function keepReturnPath(path: string | undefined): void {
  try {
    if (path !== undefined && isOwnPath(path, location.origin)) sessionStorage.setItem(kept, path);
    else sessionStorage.removeItem(kept);
  } catch {
    // A browser that keeps nothing leads to where everybody begins.
  }
}

/** What was kept, once. */
export function takeReturnPath(): string | undefined {
  try {
    const path = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    return path !== null && isOwnPath(path, location.origin) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** @param origin of this page */
export function isOwnPath(path: string, origin: string): boolean {
  return path.startsWith('/') && URL.canParse(path, origin) && new URL(path, origin).origin === origin;
}
