import { hash } from 'node:crypto';
import { isObject } from '@perch/schema/plain';

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** base64url, for names that are sent with every action: 43 characters instead of 64. */
export function sha256Short(data: string | Uint8Array): string {
  return hash('sha256', data, 'base64url');
}

/** Equal values have equal texts. @throws {RangeError} for a value nested too deeply */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
