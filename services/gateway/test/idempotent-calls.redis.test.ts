/** Late and lost Redis replies while a call with an Idempotency-Key begins and ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLogger } from '@perch/runtime';
import { openStore, StoreError, type Store } from '@perch/store';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { KeyValidity } from '../src/calls/key-validity.js';
import { OpenCalls } from '../src/calls/open-calls.js';
import { callName, fingerprint, IdempotentCalls, type IdempotentRequest } from '../src/idempotency/idempotent-calls.js';

/** The store's error for a late reply: Redis has received the command. */
const late = (): never => {
  throw new StoreError('unavailable', 'Redis: Command timed out', { cause: new Error('Command timed out') });
};

describe('idempotent calls while Redis replies late', () => {
  let store: Store;
  let robot: string;
  let done: number;
  before(async () => {
    store = await openStore({ ...redisAt(await redisUrl()), instance: `gw-${randomUUID().slice(0, 6)}` });
  });
  beforeEach(() => {
    robot = `r-${randomUUID().slice(0, 10)}`;
    done = 0;
  });
  after(() => store.close());

  /** Creates the calls of a gateway on a store in which one operation executes and then replies late. */
  const over = (operation: 'begin' | 'end' | null): IdempotentCalls => {
    let left = operation === null ? 0 : 1;
    const calls = new Proxy(store.calls, {
      get(target, name: keyof Store['calls']) {
        if (name === 'canBeginWithCommand') return target[name];
        const real = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (name !== operation) return real;
        return async (...args: unknown[]) => {
          const result = await real(...args);
          return left-- > 0 ? late() : result;
        };
      },
    });
    const openCalls = new OpenCalls(
      new KeyValidity(store.apiKeys, store.guests),
      createLogger({ level: 'silent', service: 'gateway', instance: store.instance }),
    );
    const { instance, instances, clock, linkMailbox } = store;
    return new IdempotentCalls({
      store: { instance, instances, clock, calls, linkMailbox },
      directory: { cached: () => undefined },
      openCalls,
      drain: { enter() {}, leave() {} },
    });
  };
  const asked = (): IdempotentRequest => ({
    key: 'k',
    keyHash: 'h',
    account: 'a-test',
    robot,
    action: 'leds',
    body: {},
    client: { signal: new AbortController().signal, whenGone: () => () => {} },
    onJoin: async () => {},
    onReplay: () => {},
    resumable: true,
    acked: null,
    act: async () => ({ ok: true, done: ++done }),
  });
  const record = () => store.connections.commands.hgetall(`perch:{${robot}}:call:${callName('h', 'k')}`);

  it('rejects and deletes a call whose claim Redis confirmed too late, so that it can be repeated', async () => {
    await assert.rejects(over('begin').run(asked()), StoreError);
    assert.equal(done, 0);
    await until(async () => Object.keys(await record()).length === 0, { what: 'it to be forgotten' });
    assert.deepEqual(await over(null).run(asked()), { ok: true, done: 1 });
  });

  it('answers a call although Redis is late in storing its outcome, and stores it again', async () => {
    const calls = over('end');
    assert.deepEqual(await calls.run(asked()), { ok: true, done: 1 });
    await until(async () => (await record())['outcome'] !== undefined);
    assert.deepEqual(await calls.run(asked()), { ok: true, done: 1 });
    assert.equal(done, 1);
  });

  it('lets one of the waiting requests take over a call that its own gateway does not know', async () => {
    await store.calls.begin(robot, callName('h', 'k'), { fingerprint: fingerprint('leds', {}), claim: 'lost', gateway: store.instance });
    const calls = over(null);
    const recalled: boolean[] = [];
    const call = (): IdempotentRequest => ({ ...asked(), act: async (each) => (recalled.push(each.recalled), { ok: true }) });
    assert.deepEqual(await Promise.all([calls.run(call()), calls.run(call()), calls.run(call())]), [{ ok: true }, { ok: true }, { ok: true }]);
    assert.deepEqual(recalled, [true]);
  });
});
