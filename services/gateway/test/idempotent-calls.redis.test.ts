/** What Redis does late, or loses the answer of, while a call under an Idempotency-Key begins and ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLogger } from '@perch/runtime';
import { openStore, StoreError, type Store } from '@perch/store';
import { redisUrl, until } from '@perch/testkit';
import { OpenCalls } from '../src/auth/open-calls.js';
import { callName, fingerprint } from '../src/idempotency/idempotency-key.js';
import { IdempotentCalls, type IdempotentRequest } from '../src/idempotency/idempotent-calls.js';

/** As the store says it when Redis is late: it has the command all the same. */
const late = (): never => {
  throw new StoreError('unavailable', 'Redis: Command timed out', { cause: new Error('Command timed out') });
};

describe('idempotent calls while Redis is late', () => {
  let store: Store;
  let robot: string;
  let done: number;
  before(async () => {
    store = await openStore({ url: await redisUrl(), instance: `gw-${randomUUID().slice(0, 6)}` });
  });
  beforeEach(() => {
    robot = `r-${randomUUID().slice(0, 10)}`;
    done = 0;
  });
  after(() => store.close());

  /** A gateway's calls over a store of which one operation does what it is to do and then answers late. */
  const over = (operation: 'begin' | 'end' | null): IdempotentCalls => {
    let left = operation === null ? 0 : 1;
    const calls = new Proxy(store.calls, {
      get(target, name: keyof Store['calls']) {
        const real = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (name !== operation) return real;
        return async (...args: unknown[]) => {
          const result = await real(...args);
          return left-- > 0 ? late() : result;
        };
      },
    });
    const openCalls = new OpenCalls(store.apiKeys, createLogger({ level: 'silent', service: 'gateway', instance: store.instance }));
    const { instance, instances, clock } = store;
    return new IdempotentCalls({ store: { instance, instances, clock, calls }, openCalls, drain: { enter() {}, leave() {} } });
  };
  const asked = (): IdempotentRequest => ({
    key: 'k',
    keyHash: 'h',
    account: 'a-test',
    robot,
    action: 'leds',
    body: {},
    signal: new AbortController().signal,
    onJoin: async () => {},
    onReplay: () => {},
    act: async () => ({ ok: true, done: ++done }),
  });
  const record = () => store.connections.commands.hgetall(`perch:{${robot}}:call:${callName('h', 'k')}`);

  it('a beginning whose answer is late is refused, forgotten, and can be repeated', async () => {
    await assert.rejects(over('begin').run(asked()), StoreError);
    assert.equal(done, 0);
    await until(async () => Object.keys(await record()).length === 0, { what: 'it to be forgotten' });
    assert.deepEqual(await over(null).run(asked()), { ok: true, done: 1 });
  });

  it('an end that Redis is late with keeps nobody from the answer, and is told again', async () => {
    const calls = over('end');
    assert.deepEqual(await calls.run(asked()), { ok: true, done: 1 });
    await until(async () => (await record())['outcome'] !== undefined);
    assert.deepEqual(await calls.run(asked()), { ok: true, done: 1 });
    assert.equal(done, 1);
  });

  it('a call that its own gateway does not know of is taken over at once, by one of all who wait', async () => {
    await store.calls.begin(robot, callName('h', 'k'), { fingerprint: fingerprint('leds', {}), claim: 'lost', gateway: store.instance });
    const calls = over(null);
    const recalled: boolean[] = [];
    const call = (): IdempotentRequest => ({ ...asked(), act: async (each) => (recalled.push(each.recalled), { ok: true }) });
    assert.deepEqual(await Promise.all([calls.run(call()), calls.run(call()), calls.run(call())]), [{ ok: true }, { ok: true }, { ok: true }]);
    assert.deepEqual(recalled, [true]);
  });
});
