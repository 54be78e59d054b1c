import assert from 'node:assert/strict';
import type { WaitRecord } from '@perch/schema';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { TestSystem, pngBase64, type Answer, type Owner } from './test-system.js';
import { hello, TestLink } from './test-link.js';

describe('waits', () => {
  let system: TestSystem;
  let owner: Owner;

  before(async () => {
    system = await TestSystem.start();
  });
  beforeEach(async () => {
    owner = await system.ownerOnline();
    Object.assign(system, { beforeDrawn: () => Promise.resolve() });
    Object.assign(system.link, { onWait: () => {}, arms: true, answer: ({ id }: { id: string }) => ({ t: 'ack', id, result: {} }) });
    system.link.waits.length = 0;
    system.link.waitEnds.length = 0;
    system.drawn.length = 0;
  });
  after(() => system.stop());

  const question = { question: 'Coffee?', answers: ['Yes', 'No'] };
  /** Opens a wait and returns its call and its record. */
  async function opened(action: string, args: unknown, signal?: AbortSignal): Promise<{ answer: Promise<Answer>; record: WaitRecord }> {
    const before = system.link.waits.length;
    const answer = system.act(owner, action, args, signal);
    answer.catch(() => {});
    await until(() => system.link.waits.length > before);
    const record = system.link.waits.at(-1)!;
    await until(async () => !system.link.arms || (await system.store.waits.read(owner.robot, record.number))?.armed !== null);
    return { answer, record };
  }

  const noWaitHeld = (): Promise<unknown> => until(async () => (await heldCalls()) === 0, { what: 'no wait to be held' });
  const heldCalls = async (): Promise<number> => Number(/perch_gateway_held_calls\{kind="wait"\} (\d+)/.exec(await system.metrics.metrics())?.[1]);

  it('ask shows the question and answers the tap with all fields', async () => {
    const { answer, record } = await opened('ask', { ...question, timeout_s: 20 });
    assert.equal(record.kind, 'ask');
    assert.equal(record.targets.length, 2);
    assert.equal(record.timeoutMs, 20_000);
    assert.equal(record.picture?.account, owner.account);
    assert.equal(record.gateway, system.store.instance);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 200, y: 180 });
    const { status, body } = await answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'No', index: 1 });
    await noWaitHeld();
  });

  it('answers at most 14 s after the timeout, however long drawing and showing take', async () => {
    const other = await system.ownerOnline();
    system.beforeDrawn = ({ account }) => new Promise((resolve) => setTimeout(resolve, account === other.account ? 12_000 : 9000));
    system.link.arms = false;
    const began = performance.now();
    const [unshown, undrawn] = await Promise.all([
      system.act(owner, 'ask', { ...question, timeout_s: 0.1 }),
      system.act(other, 'ask', { ...question, timeout_s: 0.1 }).then((answer) => ({ ...answer, tookMs: performance.now() - began })),
    ]);
    assert.ok(performance.now() - began < 15_500, 'drawn late, never shown');
    assert.deepEqual([unshown.status, unshown.body.code], [503, 'no_ack']);
    assert.ok(undrawn.tookMs < 11_900, 'not drawn');
    assert.deepEqual([undrawn.status, undrawn.body.code], [503, 'render_failed']);
    assert.equal(new Set(system.link.waits.map(({ call }) => call)).size, 1, 'what was not drawn was not opened');
  }).timeout(30_000);

  it('menu answers the id of the item if given, else its label, and draws pictures into the tiles', async () => {
    const { answer, record } = await opened('menu', {
      title: 'Lunch',
      items: ['Soup', { id: 'p', label: 'Pizza', image: pngBase64 }, { image: pngBase64 }],
    });
    assert.equal(record.targets.length, 3);
    assert.equal(system.drawn[0]?.scene.boxes.filter((box: { kind: string }) => box.kind === 'image').length, 2);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    assert.deepEqual((await answer).body, {
      ok: true,
      outcome: 'answered',
      timed_out: false,
      replaced: false,
      robot_away: false,
      item: 'p',
      index: 1,
      label: 'Pizza',
    });
    const second = await opened('menu', { items: ['Soup', { image: pngBase64 }] });
    await system.link.settle(owner.robot, second.record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const { item, index, label } = (await second.answer).body;
    assert.deepEqual([item, index, label], [null, 1, null]);
  });

  it('clickmap answers the region, its index and the point, with an image as a card', async () => {
    const regions = [
      { id: 'left', rect: [0, 0, 160, 240] },
      { id: 'ball', circle: [240, 120, 40] },
    ];
    const bare = await opened('clickmap', { regions });
    assert.equal(bare.record.picture, null);
    await system.link.settle(owner.robot, bare.record, { outcome: 'answered', index: 1, x: 250, y: 110.5 });
    assert.deepEqual((await bare.answer).body, {
      ok: true,
      outcome: 'answered',
      timed_out: false,
      replaced: false,
      robot_away: false,
      region: 'ball',
      index: 1,
      x: 250,
      y: 110.5,
    });
    const pictured = await opened('clickmap', { regions, image: pngBase64, timeout_s: 0.2 });
    assert.equal(pictured.record.picture?.w, 320);
    const { body } = await pictured.answer;
    assert.deepEqual(body, {
      ok: true,
      outcome: 'timed_out',
      timed_out: true,
      replaced: false,
      robot_away: false,
      region: null,
      index: null,
      x: null,
      y: null,
    });
  });

  it('times a wait out at its deadline even if the robot-link does not settle it', async () => {
    const before = performance.now();
    const { answer, record } = await opened('ask', { ...question, timeout_s: 0.5 });
    const { body } = await answer;
    assert.deepEqual(body, { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false, answer: null, index: null });
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 500 && tookMs < 3000, `${tookMs} ms`);
    assert.deepEqual((await system.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'timed_out' });
  });

  it('answers in robot_away whether the robot disconnected meanwhile, both when it is back and when it is still away', async () => {
    const back = await opened('ask', { ...question, timeout_s: 20 });
    await system.link.release(owner.robot, 'away');
    await system.link.take(owner.robot, owner.token);
    await system.link.settle(owner.robot, back.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body } = await back.answer;
    assert.deepEqual([body.answer, body.robot_away], ['Yes', true]);
    const away = await opened('ask', { ...question, timeout_s: 1 });
    await system.link.release(owner.robot, 'away');
    const { outcome, robot_away: robotAway } = (await away.answer).body;
    assert.deepEqual([outcome, robotAway], ['timed_out', true]);
  });

  it('ends an older wait of any kind at once as replaced when a newer one opens', async () => {
    const first = await opened('ask', question);
    const second = await opened('menu', { items: ['a', 'b'] });
    const { status, body } = await first.answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, answer: null, index: null });
    await system.link.settle(owner.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.item, 'a');
  });

  it('answers replaced when a newer wait is already open', async () => {
    const number = (await system.store.waits.number(owner.robot)) ?? assert.fail();
    const record: WaitRecord = {
      number: number + 100_000,
      kind: 'ask',
      targets: [],
      picture: null,
      timeoutMs: 5000,
      gateway: 'gw-other0',
      call: 'gw-other0.1',
      requestId: 'x',
    };
    assert.equal(await system.store.waits.open(owner.robot, record), true);
    const { body } = await system.act(owner, 'ask', question);
    assert.equal(body.replaced, true);
    assert.equal((await system.store.waits.read(owner.robot, record.number))?.outcome, null, 'the newer one goes on');
  });

  it('does not end the open wait for a call rejected with 400, 501, 503 or an invalid picture', async () => {
    const { answer, record } = await opened('ask', question);
    assert.equal((await system.act(owner, 'ask', { question: 'x', answers: ['one'] })).status, 400);
    assert.equal((await system.act(owner, 'menu', { items: ['a', { image: 'AAAA' }] })).body.code, 'bad_picture');
    assert.equal((await system.store.waits.read(owner.robot, record.number))?.outcome, null);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'Yes');
  });

  it('answers 503 when the robot is away, and 501 when it has no touch screen', async () => {
    await system.link.release(owner.robot, 'away');
    assert.equal((await system.act(owner, 'ask', question)).status, 503);
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['screen', 'face'] });
    assert.equal((await system.act(owner, 'ask', question)).status, 501);
  });

  it('cancels the wait of a client that disconnects, and notifies the robot-link', async () => {
    const hangUp = new AbortController();
    const { answer, record } = await opened('ask', question, hangUp.signal);
    hangUp.abort();
    await assert.rejects(answer);
    await until(() => system.link.waitEnds.includes(record.number));
    assert.deepEqual((await system.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'cancelled' });
    await noWaitHeld();
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
      await until(async () => (await heldCalls()) === 1, { what: 'only the older wait to be held' });
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
    const open = waits.open.bind(waits);
    let number = 0;
    waits.open = async (robot, record) => {
      number = record.number;
      await open(robot, record);
      throw new StoreError('unavailable', 'Redis: Command timed out');
    };
    try {
      assert.equal((await system.act(owner, 'ask', question)).status, 503);
    } finally {
      waits.open = open;
    }
    await until(async () => (await waits.read(owner.robot, number))?.outcome?.outcome === 'cancelled');
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
  });

  it('ends the wait of a revoked key with 401 within a second', async () => {
    const { answer, record } = await opened('ask', question);
    const before = performance.now();
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [401, 'unauthorized']);
    assert.ok(performance.now() - before < 3000, `${performance.now() - before} ms`);
    await until(() => system.link.waitEnds.includes(record.number));
  });

  it('answers a wait through the instance that the robot moved to', async () => {
    const other = await TestLink.start(system.url);
    try {
      const { answer, record } = await opened('ask', question);
      const session = await other.take(owner.robot, owner.token);
      const outcome = { outcome: 'answered', index: 0, x: 60, y: 170 } as const;
      assert.equal((await system.store.waits.settle(owner.robot, record.number, outcome, session)).settled, true);
      assert.equal((await answer).body.answer, 'Yes');
    } finally {
      await other.stop();
    }
  });

  it('delivers a wait to the new holder when the robot moved before the delivery', async () => {
    const other = await TestLink.start(system.url);
    try {
      assert.equal((await system.act(owner, 'face', { emotion: 'sad' })).status, 200);
      await other.take(owner.robot, owner.token);
      await system.link.release(owner.robot, 'away');
      const answer = system.act(owner, 'ask', { ...question, timeout_s: 0.3 });
      await until(() => other.waits.length === 1);
      assert.equal((await answer).body.timed_out, true);
    } finally {
      await other.stop();
    }
  });

  it('does not deliver a wait that ended while its robot moved', async () => {
    const other = await TestLink.start(system.url);
    try {
      system.link.arms = false;
      system.link.onWait = async (record, robot) => {
        await system.link.release(robot, 'moving');
        await system.link.store.gatewayMailbox.send(record.gateway, { t: 'not_here', id: record.call });
      };
      const answer = system.act(owner, 'ask', question);
      await until(() => system.link.waits.length === 1);
      const { number } = system.link.waits[0]!;
      await until(async () => (await system.store.leases.find(owner.robot)).state === 'moving');
      await system.store.waits.settle(owner.robot, number, { outcome: 'timed_out' }, null);
      assert.equal((await answer).body.timed_out, true);
      await other.take(owner.robot, owner.token);
      assert.equal((await system.act(owner, 'face', { emotion: 'sad' })).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(other.waits, []);
      assert.match(await system.metrics.metrics(), /^perch_gateway_awaited_replies 0$/m);
    } finally {
      await other.stop();
    }
  });

  it('draws an expired picture again and redelivers the wait', async () => {
    let misses = 1;
    system.link.arms = false;
    system.link.onWait = async (record, robot) => {
      if (misses-- > 0)
        return void (await system.link.store.gatewayMailbox.send(record.gateway, {
          t: 'media_missing',
          id: record.call,
          hash: record.picture!.hash,
        }));
      await system.link.store.waits.arm(robot, system.link.sessionOf(robot), record, { bootId: 'b1', ms: 5, seq: 0 });
    };
    const { body } = await system.act(owner, 'ask', { ...question, timeout_s: 0.3 });
    assert.equal(body.timed_out, true);
    assert.equal(system.link.waits.length, 2);
    assert.equal(system.link.waits[0]?.number, system.link.waits[1]?.number);
  });

  it("fails a wait that the robot could not show with the robot's error", async () => {
    system.link.arms = false;
    system.link.onWait = async (record, robot) =>
      void (await system.link.settle(robot, record, { outcome: 'failed', code: 'robot_hardware', error: 'the screen is broken' }));
    const { status, body } = await system.act(owner, 'ask', question);
    assert.deepEqual([status, body.code, body.error], [503, 'robot_hardware', 'the screen is broken']);
  });

  it('ends a wait that was not armed within 10 s with 503 no_ack', async function () {
    this.timeout(20_000);
    system.link.arms = false;
    const before = performance.now();
    const { answer, record } = await opened('ask', question);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [503, 'no_ack']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 9500 && tookMs < 13_000, `${tookMs} ms`);
    await until(() => system.link.waitEnds.includes(record.number));
  });

  it('keeps waits of different robots independent', async () => {
    const first = await opened('ask', question);
    const firstRobot = owner.robot;
    owner = await system.ownerOnline();
    const second = await opened('ask', question);
    await system.link.settle(owner.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.answer, 'Yes');
    assert.equal((await system.store.waits.read(firstRobot, first.record.number))?.outcome, null);
    await system.store.waits.settle(firstRobot, first.record.number, { outcome: 'timed_out' }, null);
    assert.equal((await first.answer).body.timed_out, true);
  });

  it('settles a wait once when a tap and a disconnect happen at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const hangUp = new AbortController();
      const { answer, record } = await opened('ask', question, hangUp.signal);
      const tap = system.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
      hangUp.abort();
      const [tapped] = await Promise.all([tap, answer.catch(() => null)]);
      await noWaitHeld();
      const { outcome } = (await system.store.waits.read(owner.robot, record.number))!;
      assert.equal(outcome?.outcome, tapped ? 'answered' : 'cancelled');
    }
  });
});
