import { ApiError } from '@perch/schema';
import { account, bucket, keyHash, type Tenant } from './checks.js';

interface Key {
  account: string;
  level: number;
  at: number;
}

export class MemoryAdmission {
  readonly #keys: Map<string, Key>;
  readonly #robots: Map<string, string>;

  constructor({ keys, robots }: Tenant) {
    this.#keys = new Map(keys.map((key) => [keyHash(key), { account, level: 0, at: 0 }]));
    this.#robots = new Map(robots.map(({ id }) => [id, account]));
  }

  admit(apiKey: string, robot: string): void {
    const key = this.#keys.get(keyHash(apiKey));
    if (key === undefined) throw new ApiError('unauthorized', 'The API key is not valid.');
    if (this.#robots.get(robot) !== key.account) throw new ApiError('unknown_robot', 'This key has no robot with that id.');
    const now = performance.now() * 1000;
    const level = Math.max(0, key.level - (now - key.at));
    if (level + bucket.intervalUs > bucket.depth * bucket.intervalUs) throw new ApiError('rate_limited', 'Too many actions.');
    key.level = level + bucket.intervalUs;
    key.at = now;
  }
}
