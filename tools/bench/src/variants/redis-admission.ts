/** ioredis with automatic pipelines: one script, one round trip, as favourable as Perch's own. */
import { ApiError } from '@perch/schema';
import { Redis } from 'ioredis';
import { account, bucket, keyHash, type Tenant } from './checks.js';

const script = `
local key = redis.call('HMGET', KEYS[1], 'account', 'level', 'at')
if not key[1] then return 'unauthorized' end
if key[1] ~= ARGV[1] then return 'foreign' end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local depth, interval = tonumber(ARGV[2]), tonumber(ARGV[3])
local level = math.max(0, tonumber(key[2] or '0') - math.max(0, now - tonumber(key[3] or '0')))
if level + interval > depth * interval then return 'limited' end
redis.call('HSET', KEYS[1], 'level', string.format('%.0f', level + interval), 'at', string.format('%.0f', now))
return 'ok'`;

type Admit = (key: string, account: string, depth: number, intervalUs: number) => Promise<string>;

export class RedisAdmission {
  readonly #admit: Admit;
  readonly #robots: Map<string, string>;

  private constructor(redis: Redis, { robots }: Tenant) {
    redis.defineCommand('admitCall', { numberOfKeys: 1, lua: script });
    const methods = redis as unknown as { admitCall: Admit };
    this.#admit = (...args) => methods.admitCall(...args);
    this.#robots = new Map(robots.map(({ id }) => [id, account]));
  }

  static async open(url: string, tenant: Tenant): Promise<RedisAdmission> {
    const redis = new Redis(url, { enableAutoPipelining: true });
    const admission = new RedisAdmission(redis, tenant);
    await Promise.all(tenant.keys.map((key) => redis.hset(keyName(key), 'account', account)));
    return admission;
  }

  async admit(apiKey: string, robot: string): Promise<void> {
    const said = await this.#admit(keyName(apiKey), this.#robots.get(robot) ?? '', bucket.depth, bucket.intervalUs);
    if (said === 'unauthorized') throw new ApiError('unauthorized', 'The API key is not valid.');
    if (said === 'foreign') throw new ApiError('unknown_robot', 'This key has no robot with that id.');
    if (said === 'limited') throw new ApiError('rate_limited', 'Too many actions.');
  }
}

function keyName(apiKey: string): string {
  return `key:${keyHash(apiKey)}`;
}
