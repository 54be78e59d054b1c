/**
 * Reads the URL fragment, which no server or log sees: the secret of a link that works once, an invitation, a share link, or the error of an external
 * sign-in. It is removed at once, so that it stays in no history or bookmark.
 */
import { takeReturnPath } from './return-path.js';

export interface UrlFragment {
  link?: string;
  invitation?: string;
  share?: string;
  /** Sets a new password. */
  reset?: string;
  /** Verifies an e-mail address. */
  verify?: string;
  error?: string;
}

const names = { 'sign-in': 'link', invitation: 'invitation', share: 'share', reset: 'reset', verify: 'verify', error: 'error' } as const;

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
const shareKept = 'perch-share';

/** Removes the fragment from the URL. An invitation and a share link are kept over reloads and external sign-ins, in this tab only. */
export function takeUrlFragment(): UrlFragment {
  const found = parseUrlFragment(location.hash);
  const fragment = found ?? {};
  // An external sign-in returns to `/`, or with an error to the sign-in page, which continues to the path.
  const left = takeReturnPath();
  const cameBack = left !== undefined && (fragment.error !== undefined || (location.pathname === '/' && fragment.link === undefined));
  if (cameBack) history.replaceState(null, '', left);
  else if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  keepOrRecall(fragment, 'invitation', invitationKept, '/sign-up');
  keepOrRecall(fragment, 'share', shareKept, '/share');
  return fragment;
}

/** @param path where the kept value is used */
function keepOrRecall(fragment: UrlFragment, name: 'invitation' | 'share', key: string, path: string): void {
  try {
    const given = fragment[name];
    if (given !== undefined) sessionStorage.setItem(key, given);
    else if (location.pathname === path) {
      const kept = sessionStorage.getItem(key);
      if (kept !== null) fragment[name] = kept;
    }
  } catch {
    // Without storage, it is lost on reload.
  }
}

export function forgetInvitation(): void {
  forget(invitationKept);
}

export function forgetShareToken(): void {
  forget(shareKept);
}

function forget(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Without storage, it was never kept.
  }
}
