/** Results of admitting a call. */
import type { KeyScope } from '@perch/schema/plain';
import type { GuestPass } from '../guests/guests.js';

/** After the call, for `RateLimit: "actions";r=..;t=..`. */
export interface BucketState {
  remaining: number;
  resetS: number;
}

export interface KeyOwner {
  account: string;
  keyHash: string;
}

export interface AdmittedKey extends BucketState, KeyOwner {
  /** Only the robot that the call names, if it names one. */
  robots: '*' | string[];
  scopes: readonly KeyScope[];
  /** Set by the gateway for a session that calls a robot shared by another account: `account` is then the robot's owner. */
  guest?: GuestPass;
}

export type Admission =
  | ({ ok: true } & AdmittedKey)
  | { ok: false; reason: 'unauthorized' }
  /** Nothing was taken from the bucket. */
  | ({ ok: false; reason: 'foreign_robot' } & BucketState & KeyOwner)
  /** Nothing was taken from the bucket. */
  | ({ ok: false; reason: 'scope_missing'; scopes: readonly KeyScope[] } & BucketState & KeyOwner)
  /** Nothing was taken from the bucket. Whole seconds, at least 1. */
  | ({ ok: false; reason: 'rate_limited'; retryAfterS: number } & BucketState & KeyOwner);
