/**
 * Reads the URL fragment, which no server or log sees: the secret of a link that works once, an invitation, or the error of an external
 * sign-in. It is removed
 * at once, so that it stays in no history or bookmark.
 */
import { takeReturnPath } from './return-path.js';

export interface UrlFragment {
  link?: string;
  invitation?: string;
  /** Sets a new password. */
  reset?: string;
  /** Verifies an e-mail address. */
  verify?: string;
  error?: string;
}

const names = { 'sign-in': 'link', invitation: 'invitation', reset: 'reset', verify: 'verify', error: 'error' } as const;

/** @param hash value of location.hash @returns null if it has no known parameter */
export function parseUrlFragment(hash: string): UrlFragment | null {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const fragment: UrlFragment = {};
  for (const [name, to] of Object.entries(names)) {
    const value = given.get(name);
    if (value !== null && value !== '') fragment[to] = value;
  }
  return Object.keys(fragment).length === 0 ? null : fragment;
}

const invitationKept = 'perch-invitation';

/** Removes the fragment from the URL. An invitation is kept over reloads, in this tab only. */
export function takeUrlFragment(): UrlFragment {
  const found = parseUrlFragment(location.hash);
  const fragment = found ?? {};
  // An external sign-in returns to `/`, or with an error to the sign-in page, which continues to the path.
  const left = takeReturnPath();
  const cameBack = left !== undefined && (fragment.error !== undefined || (location.pathname === '/' && fragment.link === undefined));
  if (cameBack) history.replaceState(null, '', left);
  else if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  try {
    if (fragment.invitation !== undefined) sessionStorage.setItem(invitationKept, fragment.invitation);
    else if (location.pathname === '/sign-up') {
      const kept = sessionStorage.getItem(invitationKept);
      if (kept !== null) fragment.invitation = kept;
    }
  } catch {
    // Without storage, the invitation is lost on reload.
  }
  return fragment;
}

export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(invitationKept);
  } catch {
    // Without storage, it was never kept.
  }
}
