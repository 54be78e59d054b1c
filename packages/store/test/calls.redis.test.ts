import assert from 'node:assert/strict';
import type { CallOutcome } from '@perch/schema';
import { until } from '@perch/testkit';
import { callBytesMax } from '../src/calls/calls.js';
import type { Store } from '../src/index.js';
import { robotKeys } from '../src/redis/keys.js';
import { closeStores, held, testRobot, testStore } from './fixtures.js';

const claim = (id: string, fingerprint = 'f') => ({ fingerprint, claim: id, gateway: `gw-of-${id}` });
const done: CallOutcome = { answer: { ok: true } };

describe('calls under an Idempotency-Key', () => {
  let store: Store;
  let robot: string;
  beforeEach(async () => {
    store = await testStore();
    robot = await testRobot(store);
  });
  afterEach(closeStores);

  const ttl = (name = 'n') => store.connections.commands.pttl(robotKeys.call(robot, name));

  it('gives the claim to one of many concurrent calls on two instances, and returns its owner to the others', async () => {
    const other = await testStore();
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).calls.begin(robot, 'n', claim(`c${i}`))));
    const begun = all.flatMap(({ state }, i) => (state === 'begun' ? [i] : []));
    assert.equal(begun.length, 1);
    for (const [i, found] of all.entries()) {
      if (i === begun[0]) continue;
      assert.deepEqual(
        [found.state, 'claim' in found && found.claim, 'gateway' in found && found.gateway],
        ['running', `c${begun[0]}`, `gw-of-c${begun[0]}`],
      );
    }
  });

  it('reports another fingerprint for the same key, during the call and after its end', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    assert.equal((await store.calls.begin(robot, 'n', claim('b', 'g'))).state, 'other');
    await store.calls.end(robot, 'n', 'a', done);
    assert.equal((await store.calls.begin(robot, 'n', claim('b', 'g'))).state, 'other');
  });

  it('keeps an outcome for ten minutes after the end of the call, and notifies subscribers', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    assert.ok((await ttl()) > 600_000);
    let woken = 0;
    await store.calls.subscribe(robot, 'n', () => woken++);
    await store.calls.end(robot, 'other', 'a', done);
    assert.ok(await store.calls.end(robot, 'n', 'a', done));
    await until(() => woken === 1);
    assert.deepEqual(await store.calls.begin(robot, 'n', claim('b')), { state: 'ended', outcome: done });
    const left = await ttl();
    assert.ok(left > 590_000 && left <= 600_000, `${left} ms`);
  });

  it('deletes a call that had no effect, so that the key can be used again with other arguments', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    assert.ok(await store.calls.end(robot, 'n', 'a', null));
    assert.equal((await store.calls.begin(robot, 'n', claim('b', 'g'))).state, 'begun');
    assert.equal(await store.calls.end(robot, 'n', 'a', null), false, 'a late end of the first call deletes nothing');
    assert.equal((await store.calls.read(robot, 'n'))?.claim, 'b');
  });

  it('lets one gateway take over the call of a dead gateway with replies and wait, and refuses later writes of the dead one', async () => {
    const { begunAt } = (await store.calls.begin(robot, 'n', claim('dead'))) as { begunAt: number };
    await store.calls.keepReply(robot, { call: 'n', at: 0 }, { t: 'ack', id: 'x', result: { yaw: 3 } });
    await store.calls.keepReply(robot, { call: 'n', at: 1 }, { t: 'nack', id: 'y', code: 'robot_hardware', error: 'Broken.' });
    const number = (await store.waits.number(robot))!;
    const wait = {
      number,
      kind: 'ask',
      targets: [],
      picture: null,
      timeoutMs: 30_000,
      gateway: 'gw',
      call: 'c',
      requestId: 'q',
      keptMs: 600_000,
    } as const;
    assert.equal(await store.waits.open(robot, { ...wait, targets: [] }, { name: 'n', claim: 'dead' }), true);
    const found = await Promise.all(['b', 'c'].map((id) => store.calls.resume(robot, 'n', claim(id), 'dead')));
    assert.deepEqual(found[0], { state: 'adopted', begunAt });
    assert.deepEqual(found[1], { state: 'running', claim: 'b', gateway: 'gw-of-b', begunAt });
    const state = await store.calls.read(robot, 'n');
    assert.equal(state?.wait, number);
    assert.deepEqual(state.replies.get(0), { t: 'ack', id: 'x', result: { yaw: 3 } });
    assert.equal(state.replies.get(1)?.t, 'nack');
    assert.equal(await store.calls.end(robot, 'n', 'dead', done), false);
    const next = { ...wait, number: (await store.waits.number(robot))!, targets: [] };
    assert.equal(await store.waits.open(robot, next, { name: 'n', claim: 'dead' }), 'lost');
    assert.equal((await store.waits.read(robot, number))?.outcome, null, 'a wait that was not opened does not end another');
  });

  it('keeps the outcome of the wait of a call as long as that of the call', async () => {
    const session = await held(store, robot);
    const number = (await store.waits.number(robot))!;
    const wait = {
      number,
      kind: 'ask' as const,
      targets: [],
      picture: null,
      timeoutMs: 30_000,
      gateway: 'g',
      call: 'c',
      requestId: 'q',
      keptMs: 600_000,
    };
    await store.waits.open(robot, wait);
    await store.waits.arm(robot, session.session, wait, { bootId: session.bootId, ms: 5, seq: 0 });
    const left = await store.connections.commands.pttl(robotKeys.wait(robot, number));
    assert.ok(left > 620_000 && left <= 630_000, `${left} ms`);
  });

  it('creates no record for a reply to a deleted call', async () => {
    for (const answer of [undefined, []])
      assert.equal(await store.calls.keepReply(robot, { call: 'gone', at: 0, ...(answer && { answer }) }, { t: 'ack', id: 'x', result: {} }), 'over');
    assert.equal(await store.calls.read(robot, 'gone'), null);
  });

  it('records when the outcome of a running call was last requested', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    assert.equal((await store.calls.read(robot, 'n'))?.wantedAt, 0);
    await store.calls.begin(robot, 'n', claim('b'));
    assert.ok((await store.calls.read(robot, 'n'))!.wantedAt > store.clock.now() - 5_000);
  });

  it('keeps only the fingerprint and the outcome of an ended call, and discards late replies', async () => {
    await store.calls.begin(robot, 'n', claim('a'));
    const reply = { t: 'ack', id: 'x', result: { text: 'x'.repeat(1000) } } as const;
    assert.equal(await store.calls.keepReply(robot, { call: 'n', at: 0 }, reply), 'kept');
    await store.calls.end(robot, 'n', 'a', done);
    assert.equal(await store.calls.keepReply(robot, { call: 'n', at: 1 }, reply), 'over');
    const fields = await store.connections.commands.hkeys(robotKeys.call(robot, 'n'));
    assert.deepEqual(fields.toSorted(), ['fingerprint', 'outcome']);
    assert.equal(await store.calls.end(robot, 'n', 'a', null), false, 'a repeated end does not delete it');
  });

  describe('whose only command is acked', () => {
    const step = { call: 'n', at: 0, answer: ['yaw', 'pitch'] };
    const ack = { t: 'ack', id: 'x', result: { yaw: 3, pitch: 'up', other: 1 } } as const;
    const outcome: CallOutcome = { answer: { ok: true, yaw: 3, pitch: null } };

    it('ends with the ack: every gateway gets the answer for ten minutes, and the end by its gateway changes nothing', async () => {
      await store.calls.begin(robot, 'n', claim('a'));
      assert.equal(await store.calls.keepReply(robot, step, ack), 'ended');
      const left = await ttl();
      assert.ok(left > 590_000 && left <= 600_000, `${left} ms`);
      assert.deepEqual(await store.calls.begin(robot, 'n', claim('b')), { state: 'ended', outcome });
      assert.equal((await store.calls.begin(robot, 'n', claim('b', 'g'))).state, 'other');
      for (const late of [{ answer: { ok: false } }, { failure: { code: 'outcome_unknown', error: 'Late.' } }, null] as const)
        assert.equal(await store.calls.end(robot, 'n', 'a', late as CallOutcome | null), true);
      assert.deepEqual(await store.calls.resume(robot, 'n', claim('b'), 'a'), { state: 'ended', outcome });
    });

    it('gives the ack also to a gateway that took the call over before it', async () => {
      await store.calls.begin(robot, 'n', claim('dead'));
      assert.equal((await store.calls.resume(robot, 'n', claim('b'), 'dead')).state, 'adopted');
      assert.equal(await store.calls.keepReply(robot, step, ack), 'ended');
      assert.deepEqual((await store.calls.read(robot, 'n'))?.replies.get(0), ack);
      assert.equal(await store.calls.end(robot, 'n', 'dead', done), false);
      assert.equal(await store.calls.end(robot, 'n', 'b', done), true);
      assert.deepEqual(await store.calls.begin(robot, 'n', claim('c')), { state: 'ended', outcome });
    });

    it('notifies callers that wait for it', async () => {
      await store.calls.begin(robot, 'n', claim('a'));
      let woken = 0;
      await store.calls.subscribe(robot, 'n', () => woken++);
      assert.equal((await store.calls.begin(robot, 'n', claim('b'))).state, 'running');
      await store.calls.keepReply(robot, step, ack);
      await until(() => woken === 1);
    });

    it('leaves a refusal by the robot, and an answer that is not short, to its gateway', async () => {
      await store.calls.begin(robot, 'n', claim('a'));
      assert.equal(await store.calls.keepReply(robot, step, { t: 'nack', id: 'x', code: 'robot_hardware', error: 'No.' }), 'kept');
      const long = { ...ack, result: { yaw: 3, text: 'x'.repeat(200) } };
      assert.equal(await store.calls.keepReply(robot, step, long), 'kept');
      assert.equal((await store.calls.begin(robot, 'n', claim('b'))).state, 'running');
      assert.ok(await store.calls.end(robot, 'n', 'a', done));
    });
  });

  it('no longer counts the bytes of calls of a minute that ended more than 15 minutes ago', async () => {
    const key = robotKeys.callBytes(robot);
    const { commands } = store.connections;
    await store.calls.begin(robot, 'a', claim('a'));
    const { minute, total, ...counted } = await commands.hgetall(key);
    assert.deepEqual([total, Object.values(counted)], ['512', ['512']]);
    const [ends] = Object.keys(counted);
    assert.equal(Number(ends), Number(minute) + 16 * 60_000);
    // As if the record were of 16 minutes ago, beside one of 15.
    await commands.del(key);
    await commands.hset(key, { [Number(minute) - 1]: 1000, [Number(minute) + 60_000]: 200, total: 1200, minute: Number(minute) - 60_000 });
    await store.calls.begin(robot, 'b', claim('b'));
    assert.equal(await commands.hget(key, 'total'), '712');
    assert.equal(await commands.hexists(key, String(Number(minute) - 1)), 0);
    const left = await commands.pttl(key);
    assert.ok(left > 950_000 && left <= 960_000, `${left} ms`);
  });

  it('counts a stored answer once in the storage quota, however often it is requested', async () => {
    const taken = async (): Promise<number> => Number(await store.connections.commands.hget(robotKeys.callBytes(robot), 'total'));
    await store.calls.begin(robot, 'n', claim('a'));
    await store.calls.end(robot, 'n', 'a', { answer: { ok: true, text: 'é'.repeat(10_000) } });
    const before = await taken();
    assert.ok(before > 20_000, `${before} bytes`);
    await store.calls.begin(robot, 'n', claim('b'));
    assert.equal(await taken(), before);
  });

  it('refuses a new call of a robot whose storage for calls is full', async () => {
    const full = robotKeys.callBytes(robot);
    await store.calls.begin(robot, 'n', claim('a'));
    await store.connections.commands.hset(full, { total: callBytesMax, [Math.round(store.clock.now()) + 600_000]: callBytesMax });
    await assert.rejects(store.calls.begin(robot, 'm', claim('b')), { kind: 'full' });
    assert.equal(await store.calls.read(robot, 'm'), null, 'it is not begun');
    assert.equal((await store.calls.begin(robot, 'n', claim('b'))).state, 'running', 'an existing call is not affected');
    // An answer that exceeds the storage becomes outcome_unknown, so that the call is not repeated.
    await store.calls.end(robot, 'n', 'a', { answer: { ok: true, result: 'x'.repeat(10_000) } });
    const found = await store.calls.begin(robot, 'n', claim('b'));
    assert.equal(found.state === 'ended' && 'failure' in found.outcome && found.outcome.failure.code, 'outcome_unknown');
  });
});
