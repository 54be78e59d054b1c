/** Ids that people read, secrets that only their owner has, and the hash under which a secret is stored. */
import { hash, randomBytes, randomInt } from 'node:crypto';

/** Lower-case base32 without look-alikes (no i, l, o, u). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `<prefix>-` and 10 characters: 50 random bits. An id is no secret. */
export function newId(prefix: 'a' | 'k' | 'r' | 'w'): string {
  return `${prefix}-${Array.from(randomBytes(10), (byte) => alphabet[byte % 32]).join('')}`;
}

/** Whether a robot may have this id. What is no robot's could name another thing's key in Redis: ask before it becomes a part of one. */
export function isRobotId(text: string): boolean {
  return /^r-[0-9a-z]{10}$/.test(text);
}

/** 256 random bits in base64url behind a prefix that tells what they open. */
export function newSecret(prefix: 'pk_' | 'ps_' | 'pd_' | 'pl_' | 'pi_' | 'po_' | 'rt_' | ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Upper-case letters without vowels (no words) and look-alikes, as RFC 8628, 6.1 recommends: 34 bits in 8 characters. */
const codeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** 8 characters that a person copies from a robot's screen. */
export function newUserCode(): string {
  return Array.from({ length: 8 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 in base64url, for a key name that travels with every action: 43 characters in place of 64. */
export function sha256Short(data: string): string {
  return hash('sha256', data, 'base64url');
}
