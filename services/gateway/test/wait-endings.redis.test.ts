import assert from 'node:assert/strict';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { openWait, question } from './open-wait.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('the end of waits', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const opened = (action: string, args: unknown, signal?: AbortSignal): ReturnType<typeof openWait> => openWait(system, owner, action, args, signal);

  it('times a wait out at its deadline even if the robot-link does not settle it', async () => {
    const before = performance.now();
    const { answer, record } = await opened('ask', { ...question, timeout_s: 0.5 });
    const { body } = await answer;
    assert.deepEqual(body, { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false, answer: null, index: null });
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 500, `${tookMs} ms`);
    assert.deepEqual((await system.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'timed_out' });
  });

  it('cancels the wait of a client that disconnects, and notifies the robot-link', async () => {
    const hangUp = new AbortController();
    const { answer, record } = await opened('ask', question, hangUp.signal);
    hangUp.abort();
    await assert.rejects(answer);
    await until(() => system.link.waitEnds.includes(record.number));
    assert.deepEqual((await system.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'cancelled' });
    await system.untilHolds(0, 'wait');
  });

  it('opens no wait and ends no other wait for a client that disconnected before', async () => {
    const older = await opened('ask', question);
    const hangUp = new AbortController();
    const { waits } = system.store;
    const subscribe = waits.subscribe.bind(waits);
    let subscribed = false;
    waits.subscribe = async (...args) => {
      hangUp.abort();
      await new Promise((resolve) => setTimeout(resolve, 100));
      subscribed = true;
      return subscribe(...args);
    };
    try {
      await assert.rejects(system.act(owner, 'ask', question, hangUp.signal));
      await until(() => subscribed);
      await system.untilHolds(1, 'wait');
    } finally {
      waits.subscribe = subscribe;
    }
    assert.equal(system.link.waits.at(-1)?.number, older.record.number);
    assert.equal((await waits.read(owner.robot, older.record.number))?.outcome, null);
    await system.link.settle(owner.robot, older.record, { outcome: 'timed_out' });
    assert.equal((await older.answer).body.outcome, 'timed_out');
  });

  it('answers 503, and ends no other wait, for a robot that disconnected while the question was drawn', async () => {
    const older = await opened('ask', question);
    const { renders } = system.store;
    const obtain = renders.obtain.bind(renders);
    renders.obtain = async (...args) => {
      await system.link.release(owner.robot, 'away');
      await new Promise((resolve) => setTimeout(resolve, 400));
      return obtain(...args);
    };
    try {
      const { status, body } = await system.act(owner, 'ask', { ...question, question: 'Tea?' });
      assert.deepEqual([status, body.code], [503, 'robot_offline']);
    } finally {
      renders.obtain = obtain;
    }
    assert.equal((await system.store.waits.read(owner.robot, older.record.number))?.outcome, null);
    await system.store.waits.settle(owner.robot, older.record.number, { outcome: 'timed_out' }, null);
    assert.equal((await older.answer).body.outcome, 'timed_out');
  });

  it('cancels a wait whose opening Redis confirmed too late', async () => {
    const { waits } = system.store;
    const openWith = waits.openWith.bind(waits);
    let number = 0;
    waits.openWith = async (robot, record, ...given) => {
      number = record.number;
      await openWith(robot, record, ...given);
      throw new StoreError('unavailable', 'Redis: Command timed out');
    };
    try {
      assert.equal((await system.act(owner, 'ask', question)).status, 503);
    } finally {
      waits.openWith = openWith;
    }
    await until(async () => (await waits.read(owner.robot, number))?.outcome?.outcome === 'cancelled');
    // It was published as it opened.
    await until(() => system.link.waitEnds.includes(number), { what: 'the robot-link to take the question off the screen' });
  });

  it('retries at intervals, not in a tight loop, when a wait is due while Redis is down', async () => {
    system.link.arms = false;
    const { answer, record } = await opened('ask', { ...question, timeout_s: 0.3 });
    const { waits } = system.store;
    const read = waits.read.bind(waits);
    let reads = 0;
    waits.read = async () => {
      reads++;
      throw new StoreError('unavailable', 'Redis: away');
    };
    try {
      // The wait is due, as far as this gateway knows.
      const now = system.store.clock.now.bind(system.store.clock);
      system.store.clock.now = () => now() + 11_000;
      try {
        assert.equal((await answer).status, 503);
      } finally {
        system.store.clock.now = now;
      }
    } finally {
      waits.read = read;
    }
    assert.ok(reads < 30, `${reads} reads in 3 s`);
    await system.link.settle(owner.robot, record, { outcome: 'cancelled' });
    // By its clock of 11 s later the gateway saw the robot away.
    await until(async () => (await system.act(owner, 'state')).body.online === true);
  });

  it('ends the wait of a revoked key with 401 within a second', async () => {
    const { answer, record } = await opened('ask', question);
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [401, 'unauthorized']);
    await until(() => system.link.waitEnds.includes(record.number));
  });

  it('settles a wait once when a tap and a disconnect happen at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const hangUp = new AbortController();
      const { answer, record } = await opened('ask', question, hangUp.signal);
      const tap = system.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
      hangUp.abort();
      const [tapped] = await Promise.all([tap, answer.catch(() => null)]);
      await system.untilHolds(0, 'wait');
      const { outcome } = (await system.store.waits.read(owner.robot, record.number))!;
      assert.equal(outcome?.outcome, tapped ? 'answered' : 'cancelled');
    }
  });
});
