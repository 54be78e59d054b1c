/** Calls with an Idempotency-Key that begin with their first command, on a single Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLogger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { openStore, StoreError, type Store } from '@perch/store';
import { redisAt, redisUrl, skipTest, until } from '@perch/testkit';
import { KeyValidity } from '../src/calls/key-validity.js';
import { OpenCalls } from '../src/calls/open-calls.js';
import type { CommandReply } from '../src/calls/call.js';
import { type IdempotentCall, callName, IdempotentCalls, type IdempotentRequest } from '../src/idempotency/idempotent-calls.js';

type BeginWith = Store['calls']['beginWith'];

const closed = (): StoreError => new StoreError('unavailable', 'Redis: Connection is closed.', { cause: new Error('Connection is closed.') });

describe('a call that begins with its first command', () => {
  let store: Store;
  let robot: string;
  let link: string;
  let received: string[];
  before(async function () {
    store = await openStore({ ...redisAt(await redisUrl()), instance: `gw-${randomUUID().slice(0, 6)}` });
    if (store.calls.canBeginWithCommand) return;
    await store.close();
    skipTest(this, 'on a Redis Cluster no script has the call and the channel of the robot-link');
  });
  beforeEach(async () => {
    robot = `r-${randomUUID().slice(0, 10)}`;
    link = `link-${randomUUID().slice(0, 6)}`;
    received = [];
    await store.linkMailbox.receive(link, (message) => {
      if (message.t === 'command') received.push(message.id);
    });
  });
  after(() => store.close());

  const made = (beginWith?: BeginWith): IdempotentCalls => {
    const calls = new Proxy(store.calls, {
      get(target, name: keyof Store['calls']) {
        if (name === 'beginWith' && beginWith !== undefined) return beginWith;
        const real: unknown = target[name];
        return typeof real === 'function' ? real.bind(target) : real;
      },
    });
    const log = createLogger({ level: 'silent', service: 'gateway', instance: store.instance });
    const { instance, instances, clock, linkMailbox } = store;
    return new IdempotentCalls({
      store: { instance, instances, clock, calls, linkMailbox },
      directory: { cached: (id) => ({ id }) as never },
      openCalls: new OpenCalls(new KeyValidity(store.apiKeys, store.guests), log),
      drain: { enter() {}, leave() {} },
    });
  };

  /** As `RobotCommands`: sends one command, whose reply is an ack or, if it is unknown whether it was published, late. */
  const send = async (call: IdempotentCall): Promise<object> => {
    const reply = await call.command(async (step): Promise<CommandReply> => {
      const id = `${store.instance}.${randomUUID()}`;
      const command = { name: 'face', args: { emotion: 'happy' } };
      const expires = store.clock.now() + 5000;
      const message = { t: 'command', id, robot, session: 's', gateway: store.instance, expires, requestId: 'q', command, step } as const;
      try {
        assert.equal(await call.publish(link, message), 1);
      } catch (error) {
        if (error instanceof StoreError && error.fate !== 'not_done') return { t: 'late' };
        throw error;
      }
      return { t: 'ack', id, result: {} };
    });
    if (reply.t === 'late') throw new ApiError('outcome_unknown', 'The robot did not reply.');
    return { ok: true, received: received.length };
  };
  const asked = (act: IdempotentRequest['act'] = send): IdempotentRequest => ({
    key: 'k',
    keyHash: 'h',
    account: 'a-test',
    robot,
    action: 'face',
    body: {},
    client: { signal: new AbortController().signal, whenGone: () => () => {} },
    onJoin: async () => {},
    onReplay: () => {},
    resumable: true,
    acked: [],
    act,
  });
  const record = () => store.connections.commands.hgetall(`perch:{${robot}}:call:${callName('h', 'k')}`);
  const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.code === 'outcome_unknown';

  it('records the calls of an event-loop iteration and publishes their commands by one script', async () => {
    const ran: string[] = [];
    const { connections } = store;
    const { script } = connections;
    connections.script = (name, keys, args) => {
      ran.push(name);
      return script(name, keys, args);
    };
    try {
      const recorded = async (call: IdempotentCall): Promise<object> => {
        await send(call);
        const { claim, outcome } = await record();
        return { ok: true, isRecorded: claim !== undefined && outcome === undefined };
      };
      await store.instances.announce();
      ran.length = 0;
      const calls = made();
      const answers = await Promise.all([calls.run(asked(recorded)), calls.run({ ...asked(), key: 'l' })]);
      assert.deepEqual(answers[0], { ok: true, isRecorded: true });
      assert.deepEqual(ran, ['callBegin', 'callEnd', 'callEnd']);
    } finally {
      connections.script = script;
    }
    await until(() => received.length === 2);
  });

  it('publishes the command of one of many concurrent requests at two gateways, and the others get its answer', async () => {
    const calls = [made(), made()];
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => calls[i % 2]!.run(asked())));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    await store.linkMailbox.send(link, { t: 'close', robot, session: 's', code: 4003 });
    assert.equal(received.length, 1);
  });

  it('replays a call although its action would fail now, and rejects its key with other arguments', async () => {
    const calls = made();
    const first = await calls.run(asked());
    const failing = async (): Promise<object> => {
      throw new ApiError('robot_offline', 'The robot is offline.');
    };
    assert.deepEqual(await calls.run(asked(failing)), first);
    for (const act of [send, failing])
      await assert.rejects(calls.run({ ...asked(act), body: { emotion: 'sad' } }), (error: ApiError) => error.field === 'Idempotency-Key');
    assert.equal(received.length, 1);
  });

  it('leaves no record if its action fails before the command', async () => {
    const offline = new ApiError('robot_offline', 'The robot is offline.');
    await assert.rejects(made().run(asked(async () => Promise.reject(offline))), offline);
    assert.deepEqual(await record(), {});
    assert.equal(((await made().run(asked())) as { ok: boolean }).ok, true);
  });

  it('answers outcome_unknown, also to a repeated call, if Redis published the command and its reply was lost', async () => {
    const lost: BeginWith = async (...args) => {
      await store.calls.beginWith(...args);
      throw closed();
    };
    await assert.rejects(made(lost).run(asked()), isUnknown);
    await assert.rejects(made().run(asked()), isUnknown);
    await store.linkMailbox.send(link, { t: 'close', robot, session: 's', code: 4003 });
    assert.equal(received.length, 1);
  });

  it('fails a call as not sent, so that it can be repeated, if the connection was lost before Redis got the script', async () => {
    const unsent: BeginWith = () => Promise.reject(closed());
    await assert.rejects(made(unsent).run(asked()), StoreError);
    assert.deepEqual(await record(), {});
    assert.equal(((await made().run(asked())) as { ok: boolean }).ok, true);
    assert.equal(received.length, 1);
  });

  it('keeps the unknown outcome that it answered while Redis was away, as soon as Redis is back', async () => {
    let isAway = true;
    const { begin, read } = store.calls;
    store.calls.begin = (...args) => (isAway ? Promise.reject(closed()) : begin.apply(store.calls, args));
    store.calls.read = () => Promise.reject(closed());
    try {
      await assert.rejects(made(() => Promise.reject(closed())).run(asked()), isUnknown);
      isAway = false;
      await until(async () => (await record())['outcome'] !== undefined);
    } finally {
      Object.assign(store.calls, { begin, read });
    }
    await assert.rejects(made().run(asked()), isUnknown);
    assert.equal(received.length, 0);
  });

  it('publishes no command if the robot has no room for the record', async () => {
    const full = new StoreError('full', 'Full.');
    await assert.rejects(made(() => Promise.reject(full)).run(asked()), full);
    assert.deepEqual([await record(), received], [{}, []]);
  });
});
