import { randomBytes, randomInt } from 'node:crypto';

/** Lower-case base32 without look-alikes (no i, l, o, u). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns 50 random bits after the prefix. An id is not a secret. */
export function newId(prefix: 'a' | 'c' | 'k' | 'p' | 'r' | 'w'): string {
  return `${prefix}-${lettersOf(10)}`;
}

function lettersOf(count: number): string {
  return Array.from(randomBytes(count), (byte) => alphabet[byte % 32]).join('');
}

/** Check it before using a text in a key name: another text could name a different key. */
export const isRobotId = isIdOf('r');

/** Returns the id of a wait that outlives its call. Robot and number find it without an index; the random part, stored with it, is not to be guessed. */
export function waitId(robot: string, { number, random }: { number: number; random?: string | undefined }): string {
  return `wt-${robot.slice('r-'.length)}-${number.toString(36)}${random === undefined ? '' : `-${random}`}`;
}

/** Returns 80 random bits. */
export function newWaitPart(): string {
  return lettersOf(16);
}

export function parseWaitId(text: string): { robot: string; number: number; random?: string } | null {
  const [, robot, digits, random] = /^wt-([0-9a-z]{10})-([1-9a-z][0-9a-z]{0,9})(?:-([0-9a-z]{16}))?$/.exec(text) ?? [];
  if (robot === undefined || digits === undefined) return null;
  const number = Number.parseInt(digits, 36);
  return Number.isSafeInteger(number) ? { robot: `r-${robot}`, number, ...(random !== undefined && { random }) } : null;
}

/** As `isRobotId`. */
export const isAccountId = isIdOf('a');

/** As `isRobotId`. */
export const isPasskeyId = isIdOf('p');

function isIdOf(prefix: string): (text: string) => boolean {
  const form = new RegExp(`^${prefix}-[0-9a-z]{10}$`);
  return (text) => form.test(text);
}

/** Returns 256 random bits in base64url; the prefix names the kind of secret. */
export function newSecret(prefix: 'pk_' | 'ps_' | 'pd_' | 'pf_' | 'pl_' | 'pi_' | 'po_' | 'pc_' | 'pr_' | 'pv_' | 'rt_' | ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Without vowels (no words) and look-alikes, as RFC 8628, 6.1 recommends: 34 bits in 8 characters. */
const codeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

export function newUserCode(): string {
  return Array.from({ length: 8 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
}

export { sha256, sha256Short } from '@perch/runtime/plain';
