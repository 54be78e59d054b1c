/**
 * What the address brought in its fragment, which no server and no log sees: a link that signs in once, an invitation, or why signing in
 * elsewhere failed. It is taken out of the address at once, so that it is in no history and no bookmark. Who comes back from signing in
 * elsewhere is put where they left from.
 */
import { takeReturnPath } from './return-path.js';

export interface Arrival {
  link?: string;
  invitation?: string;
  error?: string;
}

const names = { 'sign-in': 'link', invitation: 'invitation', error: 'error' } as const;

/** @param hash as in location.hash @returns null where it says nothing of ours */
export function arrivalOf(hash: string): Arrival | null {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const arrival: Arrival = {};
  for (const [name, to] of Object.entries(names)) {
    const value = given.get(name);
    if (value !== null && value !== '') arrival[to] = value;
  }
  return Object.keys(arrival).length === 0 ? null : arrival;
}

const invitationKept = 'perch-invitation';

/** Reads the fragment and takes it out of the address. An invitation outlives a reload, in this tab alone. */
export function takeArrival(): Arrival {
  const found = arrivalOf(location.hash);
  const arrival = found ?? {};
  // Signing in elsewhere leads to `/`, or to where it is said why not: from there the sign-in page leads on to the path.
  const left = takeReturnPath();
  const cameBack = left !== undefined && (arrival.error !== undefined || (location.pathname === '/' && arrival.link === undefined));
  if (cameBack) history.replaceState(null, '', left);
  else if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  try {
    if (arrival.invitation !== undefined) sessionStorage.setItem(invitationKept, arrival.invitation);
    else if (location.pathname === '/sign-up') {
      const kept = sessionStorage.getItem(invitationKept);
      if (kept !== null) arrival.invitation = kept;
    }
  } catch {
    // A browser that keeps nothing has it until the page is left.
  }
  return arrival;
}

export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(invitationKept);
  } catch {
    // It was never kept.
  }
}
