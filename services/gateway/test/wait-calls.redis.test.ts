import assert from 'node:assert/strict';
import type { WaitRecord } from '@perch/schema';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { Bench, pngBase64, type Answer, type Owner } from './bench.js';
import { hello, TestLink } from './test-link.js';

describe('waits', () => {
  let bench: Bench;
  let owner: Owner;

  before(async () => {
    bench = await Bench.start();
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    Object.assign(bench, { beforeDrawn: () => Promise.resolve() });
    Object.assign(bench.link, { onWait: () => {}, arms: true, answer: ({ id }: { id: string }) => ({ t: 'ack', id, result: {} }) });
    bench.link.waits.length = 0;
    bench.link.waitEnds.length = 0;
    bench.drawn.length = 0;
  });
  after(() => bench.stop());

  const question = { question: 'Coffee?', answers: ['Yes', 'No'] };
  /** An open wait: its call and its record. */
  async function opened(action: string, args: unknown, signal?: AbortSignal): Promise<{ answer: Promise<Answer>; record: WaitRecord }> {
    const before = bench.link.waits.length;
    const answer = bench.act(owner, action, args, signal);
    answer.catch(() => {});
    await until(() => bench.link.waits.length > before);
    const record = bench.link.waits.at(-1)!;
    await until(async () => !bench.link.arms || (await bench.store.waits.read(owner.robot, record.number))?.armed !== null);
    return { answer, record };
  }

  const noWaitHeld = (): Promise<unknown> => until(async () => (await heldCalls()) === 0, { what: 'no wait to be held' });
  const heldCalls = async (): Promise<number> => Number(/perch_gateway_held_calls\{kind="wait"\} (\d+)/.exec(await bench.metrics.metrics())?.[1]);

  it('ask: shows the question and answers the tap, with all the keys', async () => {
    const { answer, record } = await opened('ask', { ...question, timeout_s: 20 });
    assert.equal(record.kind, 'ask');
    assert.equal(record.targets.length, 2);
    assert.equal(record.timeoutMs, 20_000);
    assert.equal(record.picture?.account, owner.account);
    assert.equal(record.gateway, bench.store.instance);
    await bench.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 200, y: 180 });
    const { status, body } = await answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'No', index: 1 });
    await noWaitHeld();
  });

  it('is answered 14 s after its time-out at the latest, however long drawing and showing take', async () => {
    const other = await bench.ownerOnline();
    bench.beforeDrawn = ({ account }) => new Promise((resolve) => setTimeout(resolve, account === other.account ? 12_000 : 9000));
    bench.link.arms = false;
    const began = performance.now();
    const [unshown, undrawn] = await Promise.all([
      bench.act(owner, 'ask', { ...question, timeout_s: 0.1 }),
      bench.act(other, 'ask', { ...question, timeout_s: 0.1 }).then((answer) => ({ ...answer, tookMs: performance.now() - began })),
    ]);
    assert.ok(performance.now() - began < 15_500, 'drawn late, never shown');
    assert.deepEqual([unshown.status, unshown.body.code], [503, 'no_ack']);
    assert.ok(undrawn.tookMs < 11_900, 'not drawn');
    assert.deepEqual([undrawn.status, undrawn.body.code], [503, 'render_failed']);
    assert.equal(new Set(bench.link.waits.map(({ call }) => call)).size, 1, 'what was not drawn was not opened');
  }).timeout(30_000);

  it('menu: the item is the id if given, else the label; pictures are drawn into the tiles', async () => {
    const { answer, record } = await opened('menu', {
      title: 'Lunch',
      items: ['Soup', { id: 'p', label: 'Pizza', image: pngBase64 }, { image: pngBase64 }],
    });
    assert.equal(record.targets.length, 3);
    assert.equal(bench.drawn[0]?.scene.boxes.filter((box: { kind: string }) => box.kind === 'image').length, 2);
    await bench.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
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
    await bench.link.settle(owner.robot, second.record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const { item, index, label } = (await second.answer).body;
    assert.deepEqual([item, index, label], [null, 1, null]);
  });

  it('clickmap: the region, its place in the list and the point; with an image as a card', async () => {
    const regions = [
      { id: 'left', rect: [0, 0, 160, 240] },
      { id: 'ball', circle: [240, 120, 40] },
    ];
    const bare = await opened('clickmap', { regions });
    assert.equal(bare.record.picture, null);
    await bench.link.settle(owner.robot, bare.record, { outcome: 'answered', index: 1, x: 250, y: 110.5 });
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

  it('a wait times out at its own deadline even if the robot-link never says so', async () => {
    const before = performance.now();
    const { answer, record } = await opened('ask', { ...question, timeout_s: 0.5 });
    const { body } = await answer;
    assert.deepEqual(body, { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false, answer: null, index: null });
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 500 && tookMs < 3000, `${tookMs} ms`);
    assert.deepEqual((await bench.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'timed_out' });
  });

  it('says in robot_away whether the robot left meanwhile, when it is back as when it is still away', async () => {
    const back = await opened('ask', { ...question, timeout_s: 20 });
    await bench.link.release(owner.robot, 'away');
    await bench.link.take(owner.robot, owner.token);
    await bench.link.settle(owner.robot, back.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body } = await back.answer;
    assert.deepEqual([body.answer, body.robot_away], ['Yes', true]);
    const away = await opened('ask', { ...question, timeout_s: 1 });
    await bench.link.release(owner.robot, 'away');
    const { outcome, robot_away: robotAway } = (await away.answer).body;
    assert.deepEqual([outcome, robotAway], ['timed_out', true]);
  });

  it('a newer wait ends the older at once as replaced, of whatever kind', async () => {
    const first = await opened('ask', question);
    const second = await opened('menu', { items: ['a', 'b'] });
    const { status, body } = await first.answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, answer: null, index: null });
    await bench.link.settle(owner.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.item, 'a');
  });

  it('a wait that finds a newer one open answers replaced itself', async () => {
    const number = (await bench.store.waits.number(owner.robot)) ?? assert.fail();
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
    assert.equal(await bench.store.waits.open(owner.robot, record), true);
    const { body } = await bench.act(owner, 'ask', question);
    assert.equal(body.replaced, true);
    assert.equal((await bench.store.waits.read(owner.robot, record.number))?.outcome, null, 'the newer one goes on');
  });

  it('a refused call ends nothing: 400, 501, 503 and a bad picture leave the open wait alone', async () => {
    const { answer, record } = await opened('ask', question);
    assert.equal((await bench.act(owner, 'ask', { question: 'x', answers: ['one'] })).status, 400);
    assert.equal((await bench.act(owner, 'menu', { items: ['a', { image: 'AAAA' }] })).body.code, 'bad_picture');
    assert.equal((await bench.store.waits.read(owner.robot, record.number))?.outcome, null);
    await bench.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'Yes');
  });

  it('503 when the robot is away, 501 when it has no touch screen', async () => {
    await bench.link.release(owner.robot, 'away');
    assert.equal((await bench.act(owner, 'ask', question)).status, 503);
    await bench.link.take(owner.robot, owner.token, { ...hello, features: ['screen', 'face'] });
    assert.equal((await bench.act(owner, 'ask', question)).status, 501);
  });

  it('a client that hangs up cancels its wait, and the robot-link is told to take it away', async () => {
    const hangUp = new AbortController();
    const { answer, record } = await opened('ask', question, hangUp.signal);
    hangUp.abort();
    await assert.rejects(answer);
    await until(() => bench.link.waitEnds.includes(record.number));
    assert.deepEqual((await bench.store.waits.read(owner.robot, record.number))?.outcome, { outcome: 'cancelled' });
    await noWaitHeld();
  });

  it('a client that hung up before its wait was opened asks nobody, and ends no other wait', async () => {
    const older = await opened('ask', question);
    const hangUp = new AbortController();
    const { waits } = bench.store;
    const subscribe = waits.subscribe.bind(waits);
    let subscribed = false;
    waits.subscribe = async (...args) => {
      hangUp.abort();
      await new Promise((resolve) => setTimeout(resolve, 100));
      subscribed = true;
      return subscribe(...args);
    };
    try {
      await assert.rejects(bench.act(owner, 'ask', question, hangUp.signal));
      await until(() => subscribed);
      await until(async () => (await heldCalls()) === 1, { what: 'only the older wait to be held' });
    } finally {
      waits.subscribe = subscribe;
    }
    assert.equal(bench.link.waits.at(-1)?.number, older.record.number);
    assert.equal((await waits.read(owner.robot, older.record.number))?.outcome, null);
    await bench.link.settle(owner.robot, older.record, { outcome: 'timed_out' });
    assert.equal((await older.answer).body.outcome, 'timed_out');
  });

  it('a robot that left while its question was drawn is 503, and no other wait ends for it', async () => {
    const older = await opened('ask', question);
    const { renders } = bench.store;
    const obtain = renders.obtain.bind(renders);
    renders.obtain = async (...args) => {
      await bench.link.release(owner.robot, 'away');
      await new Promise((resolve) => setTimeout(resolve, 400));
      return obtain(...args);
    };
    try {
      const { status, body } = await bench.act(owner, 'ask', { ...question, question: 'Tea?' });
      assert.deepEqual([status, body.code], [503, 'robot_offline']);
    } finally {
      renders.obtain = obtain;
    }
    assert.equal((await bench.store.waits.read(owner.robot, older.record.number))?.outcome, null);
    await bench.store.waits.settle(owner.robot, older.record.number, { outcome: 'timed_out' }, null);
    assert.equal((await older.answer).body.outcome, 'timed_out');
  });

  it('a wait whose opening Redis answered too late is cancelled behind it', async () => {
    const { waits } = bench.store;
    const open = waits.open.bind(waits);
    let number = 0;
    waits.open = async (robot, record) => {
      number = record.number;
      await open(robot, record);
      throw new StoreError('unavailable', 'Redis: Command timed out');
    };
    try {
      assert.equal((await bench.act(owner, 'ask', question)).status, 503);
    } finally {
      waits.open = open;
    }
    await until(async () => (await waits.read(owner.robot, number))?.outcome?.outcome === 'cancelled');
  });

  it('a wait that is due while Redis is away asks for it now and then, not as fast as it can', async () => {
    bench.link.arms = false;
    const { answer, record } = await opened('ask', { ...question, timeout_s: 0.3 });
    const { waits } = bench.store;
    const read = waits.read.bind(waits);
    let reads = 0;
    waits.read = async () => {
      reads++;
      throw new StoreError('unavailable', 'Redis: away');
    };
    try {
      // Due, as far as this gateway knows: nobody tells it otherwise.
      const now = bench.store.clock.now.bind(bench.store.clock);
      bench.store.clock.now = () => now() + 11_000;
      try {
        assert.equal((await answer).status, 503);
      } finally {
        bench.store.clock.now = now;
      }
    } finally {
      waits.read = read;
    }
    assert.ok(reads < 30, `${reads} reads in 3 s`);
    await bench.link.settle(owner.robot, record, { outcome: 'cancelled' });
  });

  it('a revoked key ends its held wait with 401 within a second', async () => {
    const { answer, record } = await opened('ask', question);
    const before = performance.now();
    await bench.store.apiKeys.revoke(owner.account, owner.keyId);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [401, 'unauthorized']);
    assert.ok(performance.now() - before < 3000, `${performance.now() - before} ms`);
    await until(() => bench.link.waitEnds.includes(record.number));
  });

  it('a wait follows the robot to another instance, which answers it', async () => {
    const other = await TestLink.start(bench.url);
    try {
      const { answer, record } = await opened('ask', question);
      const session = await other.take(owner.robot, owner.token);
      const outcome = { outcome: 'answered', index: 0, x: 60, y: 170 } as const;
      assert.equal((await bench.store.waits.settle(owner.robot, record.number, outcome, session)).settled, true);
      assert.equal((await answer).body.answer, 'Yes');
    } finally {
      await other.stop();
    }
  });

  it('a wait whose robot moved before it was told is told to the new holder', async () => {
    const other = await TestLink.start(bench.url);
    try {
      assert.equal((await bench.act(owner, 'face', { emotion: 'sad' })).status, 200);
      await other.take(owner.robot, owner.token);
      await bench.link.release(owner.robot, 'away');
      const answer = bench.act(owner, 'ask', { ...question, timeout_s: 0.3 });
      await until(() => other.waits.length === 1);
      assert.equal((await answer).body.timed_out, true);
    } finally {
      await other.stop();
    }
  });

  it('a wait that ended while its robot moved is told to nobody any more', async () => {
    const other = await TestLink.start(bench.url);
    try {
      bench.link.arms = false;
      bench.link.onWait = async (record, robot) => {
        await bench.link.release(robot, 'moving');
        await bench.link.store.gateways.send(record.gateway, { t: 'not_here', id: record.call });
      };
      const answer = bench.act(owner, 'ask', question);
      await until(() => bench.link.waits.length === 1);
      const { number } = bench.link.waits[0]!;
      await until(async () => (await bench.store.leases.find(owner.robot)).state === 'moving');
      await bench.store.waits.settle(owner.robot, number, { outcome: 'timed_out' }, null);
      assert.equal((await answer).body.timed_out, true);
      await other.take(owner.robot, owner.token);
      assert.equal((await bench.act(owner, 'face', { emotion: 'sad' })).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.deepEqual(other.waits, []);
      assert.match(await bench.metrics.metrics(), /^perch_gateway_awaited_replies 0$/m);
    } finally {
      await other.stop();
    }
  });

  it('a picture that was gone is drawn again and the wait told again', async () => {
    let misses = 1;
    bench.link.arms = false;
    bench.link.onWait = async (record, robot) => {
      if (misses-- > 0)
        return void (await bench.link.store.gateways.send(record.gateway, { t: 'media_missing', id: record.call, hash: record.picture!.hash }));
      await bench.link.store.waits.arm(robot, bench.link.sessionOf(robot), record, { bootId: 'b1', ms: 5, seq: 0 });
    };
    const { body } = await bench.act(owner, 'ask', { ...question, timeout_s: 0.3 });
    assert.equal(body.timed_out, true);
    assert.equal(bench.link.waits.length, 2);
    assert.equal(bench.link.waits[0]?.number, bench.link.waits[1]?.number);
  });

  it('a wait the robot could not show fails with what it said', async () => {
    bench.link.arms = false;
    bench.link.onWait = async (record, robot) =>
      void (await bench.link.settle(robot, record, { outcome: 'failed', code: 'robot_hardware', error: 'the screen is broken' }));
    const { status, body } = await bench.act(owner, 'ask', question);
    assert.deepEqual([status, body.code, body.error], [503, 'robot_hardware', 'the screen is broken']);
  });

  it('a wait that nobody armed within 10 s is 503 no_ack, and ends', async function () {
    this.timeout(20_000);
    bench.link.arms = false;
    const before = performance.now();
    const { answer, record } = await opened('ask', question);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [503, 'no_ack']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 9500 && tookMs < 13_000, `${tookMs} ms`);
    await until(() => bench.link.waitEnds.includes(record.number));
  });

  it('two waits of two robots do not touch each other', async () => {
    const first = await opened('ask', question);
    const firstRobot = owner.robot;
    owner = await bench.ownerOnline();
    const second = await opened('ask', question);
    await bench.link.settle(owner.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.answer, 'Yes');
    assert.equal((await bench.store.waits.read(firstRobot, first.record.number))?.outcome, null);
    await bench.store.waits.settle(firstRobot, first.record.number, { outcome: 'timed_out' }, null);
    assert.equal((await first.answer).body.timed_out, true);
  });

  it('whoever settles first wins, once: a tap and a hang-up in the same moment leave one outcome', async () => {
    for (let round = 0; round < 10; round++) {
      const hangUp = new AbortController();
      const { answer, record } = await opened('ask', question, hangUp.signal);
      const tap = bench.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
      hangUp.abort();
      const [tapped] = await Promise.all([tap, answer.catch(() => null)]);
      await noWaitHeld();
      const { outcome } = (await bench.store.waits.read(owner.robot, record.number))!;
      assert.equal(outcome?.outcome, tapped ? 'answered' : 'cancelled');
    }
  });
});
