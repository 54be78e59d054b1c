/** The path to return to after signing in at another service, in this tab. Only paths of this page are accepted. */
const kept = 'perch-return-path';

/** @param path undefined: the start page */
export function keepReturnPath(path: string | undefined): void {
  try {
    if (path !== undefined && isOwnPath(path, location.origin)) sessionStorage.setItem(kept, path);
    else sessionStorage.removeItem(kept);
  } catch {
    // Without storage, the user returns to the start page.
  }
}

export function takeReturnPath(): string | undefined {
  try {
    const path = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    return path !== null && isOwnPath(path, location.origin) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** @param origin origin of this page */
export function isOwnPath(path: string, origin: string): boolean {
  return path.startsWith('/') && URL.canParse(path, origin) && new URL(path, origin).origin === origin;
}
