/** Creates ids, secrets and user codes, and the hashes under which secrets are stored. */
import { hash, randomBytes, randomInt } from 'node:crypto';

/** Lower-case base32 without look-alikes (no i, l, o, u). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns `<prefix>-` and 10 characters: 50 random bits. An id is not a secret. */
export function newId(prefix: 'a' | 'k' | 'r' | 'w'): string {
  return `${prefix}-${Array.from(randomBytes(10), (byte) => alphabet[byte % 32]).join('')}`;
}

/** Returns whether the text has the form of a robot id. Check it before using the text in a key name: another text could name a different key. */
export function isRobotId(text: string): boolean {
  return /^r-[0-9a-z]{10}$/.test(text);
}

/** Returns 256 random bits in base64url after a prefix that tells the kind of secret. */
export function newSecret(prefix: 'pk_' | 'ps_' | 'pd_' | 'pl_' | 'pi_' | 'po_' | 'rt_' | ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Upper-case letters without vowels (no words) and look-alikes, as RFC 8628, 6.1 recommends: 34 bits in 8 characters. */
const codeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns 8 characters that a user copies from a robot's screen. */
export function newUserCode(): string {
  return Array.from({ length: 8 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
}

/** Returns SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Returns SHA-256 in base64url, for key names that are sent with every action: 43 characters instead of 64. */
export function sha256Short(data: string): string {
  return hash('sha256', data, 'base64url');
}
