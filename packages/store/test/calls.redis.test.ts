import assert from 'node:assert/strict';
import type { CallOutcome } from '@perch/schema';
import { until } from '@perch/testkit';
import { callBytesMax } from '../src/calls/calls.js';
import type { Store } from '../src/index.js';
import { robotKeys } from '../src/keys.js';
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
    assert.equal(await store.calls.keepReply(robot, { call: 'gone', at: 0 }, { t: 'ack', id: 'x', result: {} }), false);
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
    assert.ok(await store.calls.keepReply(robot, { call: 'n', at: 0 }, reply));
    await store.calls.end(robot, 'n', 'a', done);
    assert.equal(await store.calls.keepReply(robot, { call: 'n', at: 1 }, reply), false);
    const fields = await store.connections.commands.hkeys(robotKeys.call(robot, 'n'));
    assert.deepEqual(fields.toSorted(), ['fingerprint', 'outcome']);
    assert.equal(await store.calls.end(robot, 'n', 'a', null), false, 'a repeated end does not delete it');
  });

  it('counts a stored answer once in the storage quota, however often it is requested', async () => {
    const taken = async (): Promise<number> => Number(await store.connections.commands.hget(robotKeys.callQuotaBytes(robot), 'total'));
    await store.calls.begin(robot, 'n', claim('a'));
    await store.calls.end(robot, 'n', 'a', { answer: { ok: true, text: 'é'.repeat(10_000) } });
    const before = await taken();
    assert.ok(before > 20_000, `${before} bytes`);
    await store.calls.begin(robot, 'n', claim('b'));
    assert.equal(await taken(), before);
  });

  it('refuses a new call of a robot whose storage for calls is full', async () => {
    const full = robotKeys.callQuotaBytes(robot);
    await store.calls.begin(robot, 'n', claim('a'));
    await store.connections.commands.hset(full, 'total', callBytesMax);
    await assert.rejects(store.calls.begin(robot, 'm', claim('b')), { kind: 'full' });
    assert.equal(await store.calls.read(robot, 'm'), null, 'it is not begun');
    assert.equal((await store.calls.begin(robot, 'n', claim('b'))).state, 'running', 'an existing call is not affected');
    // An answer that exceeds the storage becomes outcome_unknown, so that the call is not repeated.
    await store.calls.end(robot, 'n', 'a', { answer: { ok: true, result: 'x'.repeat(10_000) } });
    const found = await store.calls.begin(robot, 'n', claim('b'));
    assert.equal(found.state === 'ended' && 'failure' in found.outcome && found.outcome.failure.code, 'outcome_unknown');
  });
});
