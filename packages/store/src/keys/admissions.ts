/** Admits all calls of one event-loop iteration with one command; on a Cluster, where the keys lie on several nodes, one command each. */
import { limits } from '@perch/schema';
import { apiKeyRecord } from '../keys.js';
import { JoinedScript } from '../redis/batching/joined-script.js';
import type { Connections } from '../redis/connections.js';

const { depth, perS } = limits.bucket;
const intervalUs = 1_000_000 / perS;

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
    this.#joined = new JoinedScript(redis, (callers) => {
      const keys: string[] = [];
      const args: (string | number)[] = [depth, intervalUs];
      for (const { keyHash, cost, needs, robot, account } of callers) {
        keys.push(apiKeyRecord(keyHash));
        args.push(`${cost}${needs} ${robot} ${account}`);
      }
      return redis.script('keyAdmit', keys, args);
    });
  }

  /** Resolves to the reply of key-admit.lua for this call (`ApiKeys` parses it). */
  admit(caller: Caller): Promise<string> {
    return this.#joined.ask(caller);
  }
}
