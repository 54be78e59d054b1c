import type { SharePermission } from '@perch/schema';

export interface Guest {
  account: string;
  /** As it was when the link was accepted. */
  email: string;
  permission: SharePermission;
  /** Redis ms. */
  since: number;
}

/** By which a call of a guest is admitted. */
export interface GuestPass {
  robot: string;
  account: string;
  email: string;
  /** Permission that the call needs: the call ends once the guest no longer has it. */
  needs: SharePermission;
}

/** @param entry value of `robotKeys.guests` */
export function guestOf(account: string, entry: string): Guest {
  const [permission = '', since = '', ...email] = entry.split(' ');
  return { account, permission: permissionOf(permission), since: Number(since), email: email.join(' ') };
}

/** Whatever a later release may write allows no more than to watch. */
export function permissionOf(text: string): SharePermission {
  return text === 'use' ? 'use' : 'watch';
}
