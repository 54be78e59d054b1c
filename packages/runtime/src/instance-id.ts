/** The name a process goes by for as long as it lives. */
import { randomInt } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `gw-4k2m9x`: six characters without look-alikes, a billion per prefix. */
export function newInstanceId(prefix: 'gw' | 'link' | 'rd' | 'wh'): string {
  return `${prefix}-${Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
