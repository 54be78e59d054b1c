/** Admits all calls of one event-loop iteration with one command; on a Cluster, where the keys lie on several nodes, one command each. */
import { limits } from '@perch/schema';
import { apiKeyRecord } from '../redis/keys.js';
import { JoinedScript } from '../redis/batching.js';
import type { Connections } from '../redis/connections.js';
import type { KeyScope } from '@perch/schema/plain';
import type { GuestPass } from '../guests/guests.js';

const { depth, perS } = limits.bucket;
/** Actions that it holds, and µs until one more fits. */
export const bucketSize = [depth, 1_000_000 / perS] as const;

export interface Caller {
  keyHash: string;
  /** Both '' if the call names no robot. */
  robot: string;
  account: string;
  cost: number;
  /** Letters of the scopes that the call needs (key-scopes.ts). */
  needs: string;
}

export class Admissions {
  readonly #joined: JoinedScript<Caller, string>;

  constructor(redis: Connections) {
    this.#joined = new JoinedScript(redis, async (callers) => {
      const keys = callers.map(({ keyHash }) => apiKeyRecord(keyHash));
      return (await redis.script('keyAdmit', keys, [...bucketSize, textOf(callers)])).split('\n');
    });
  }

  /** Resolves to the reply of key-admit.lua for this call (`ApiKeys` parses it). */
  admit(caller: Caller): Promise<string> {
    return this.#joined.ask(caller);
  }
}

/** One text for all calls, which names an account once for those of its robots that follow each other: an argument for each was 16 bytes an action more. */
function textOf(callers: readonly Caller[]): string {
  let last = '';
  const texts = callers.map(({ cost, needs, robot, account }) => {
    if (robot === '') return `${cost}${needs}`;
    const text = account === last ? `${cost}${needs} ${robot}` : `${cost}${needs} ${robot} ${account}`;
    last = account;
    return text;
  });
  return texts.join(',');
}

// Results of admitting a call.

/** After the call, for `RateLimit: "actions";r=..;t=..`. */
export interface BucketState {
  remaining: number;
  resetS: number;
}

interface KeyOwner {
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
