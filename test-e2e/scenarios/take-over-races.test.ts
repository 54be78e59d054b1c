/** Connections that are cut at random moments: every input becomes an answer or an event, once and in order. */
import assert from 'node:assert/strict';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { waitArmed, left } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type TestSystem, type Tenant } from '../fixture/system/test-system.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

const long = process.env['PERCH_TEST_LONG'] === '1';
/** A robot-link accepts 20 dials of a robot in 10 s, so that many cuts need many robots. */
const robotsMany = long ? 60 : 40;
const forMs = long ? 60_000 : 9_000;
const gesturesMax = 500;

interface ExpectedEvent {
  name: string;
  data: Record<string, unknown>;
}

onSharedSystems(
  'take-over races',
  (system) => {
    before(async function () {
      needsRealRedis(this, await redisUrl(), 'the speed for a thousand reconnects in 9 s');
    });

    it(`inputs resent after ${long ? 'ten thousand' : 'a thousand'} cuts yield each event once, in order, and none is lost`, async function () {
      this.timeout(forMs + 120_000);
      const tenant = await system().tenant();
      const endAt = performance.now() + forMs;
      const movableRobots = await Promise.all(Array.from({ length: robotsMany }, (_, i) => start(tenant, i)));
      const cutsLeast = long ? 10_000 : 1000;
      let cuts = 0;
      // A slow machine needs longer for as many cuts.
      const goesOn = (): boolean => performance.now() < endAt || cuts < cutsLeast;
      const done = await Promise.all(movableRobots.map((movable) => makeGestures(system(), movable, goesOn, () => (cuts += 1))));
      for (const [i, { id, robot }] of movableRobots.entries()) {
        await robot.until(({ online, inputs }) => online && inputs.acked === inputs.seq, {
          timeoutMs: 30_000,
          what: `${id}: all inputs to be acked`,
        });
        const { events, firstSeq, lastSeq } = await system().store.events.read(id, {});
        assert.deepEqual(
          events.filter(({ name }) => name !== 'connected').map(({ name, data }) => ({ name, data })),
          done[i]!.expected,
          `${id}: ${done[i]!.expected.length} gestures, ${events.length} events, ${firstSeq} to ${lastSeq}`,
        );
        assert.deepEqual(robot.violations, []);
      }
      assert.ok(cuts >= cutsLeast, `${cuts} cuts`);
    });

    it('a tap through any number of cuts either answers the question or, before the question is armed, is an event, and only once', async function () {
      this.timeout(forMs + 120_000);
      const endAt = performance.now() + forMs / 2;
      const answersLeast = long ? 500 : 50;
      let answers = 0;
      // A slow machine needs longer for as many answers.
      const goesOn = (): boolean => performance.now() < endAt || answers < answersLeast;
      await Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          const tenant = await system().tenant();
          const movable = await start(tenant, i);
          await askAndTap(system(), tenant, movable, goesOn, () => (answers += 1));
        }),
      );
    });
  },
  [shapes[1]!],
);

function start(tenant: Tenant, link: number): Promise<MovableRobot> {
  return MovableRobot.start(tenant, { link, instant: true, sensors: false, reconnect: { minMs: 5, maxMs: 600 } });
}

async function eventsOf(system: TestSystem, id: string): Promise<ExpectedEvent[]> {
  return (await system.store.events.read(id, {})).events.map(({ name, data }) => ({ name, data }));
}

function cut(system: TestSystem, { proxy }: MovableRobot): void {
  proxy.switchTo(system.link(Math.floor(Math.random() * 2)));
  proxy.cut();
}

const pause = (msMax: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * msMax));

/** Makes gestures and cuts the connection before, between and after their inputs while `goesOn`. @param onCut called for each @returns the expected events */
async function makeGestures(
  system: TestSystem,
  movable: MovableRobot,
  goesOn: () => boolean,
  onCut: () => void,
): Promise<{ expected: ExpectedEvent[] }> {
  const { robot } = movable;
  const expected: ExpectedEvent[] = [];
  // The robot buffers a limited number of unacked inputs. The service accepts 50 events a second and keeps 1000, each `connected` among them.
  for (let n = 0; goesOn() && n < gesturesMax; n += 1) {
    if (robot.inputs.unacked.length > 40) await robot.until(({ inputs }) => inputs.unacked.length < 20, { timeoutMs: 30_000 });
    const { inputs, expected: event } = gesture(n);
    for (const [kind, fields] of inputs) {
      robot.input(kind, fields);
      if (Math.random() < 0.4) await pause(20);
      if (Math.random() < 0.25) {
        cut(system, movable);
        onCut();
        if (Math.random() < 0.7) await robot.until(({ online }) => online, { timeoutMs: 20_000 });
      }
    }
    expected.push(event);
  }
  return { expected };
}

/** Makes the n-th gesture of a robot. Its data identifies it, except for strokes. */
function gesture(n: number): { inputs: [kind: string, fields: Record<string, unknown>][]; expected: ExpectedEvent } {
  const [x, y] = [n % 320, Math.floor(n / 320)];
  switch (Math.floor(Math.random() * 5)) {
    case 0:
      return {
        inputs: [
          ['touch_down', { x, y }],
          ['touch_up', { x, y, held_ms: 90 }],
        ],
        expected: { name: 'tap', data: { x, y } },
      };
    case 1:
      return {
        inputs: [
          ['head_down', { zone: 1 }],
          ['head_up', { zone: 1, held_ms: 1000 + n }],
        ],
        expected: { name: 'pet', data: { seconds: (1000 + n) / 1000 } },
      };
    case 2:
      return {
        inputs: [
          ['head_down', { zone: 0 }],
          ['head_swipe', { zone: 2, dir: 'back' }],
          ['head_up', { zone: 2, held_ms: 400 }],
        ],
        expected: { name: 'stroke', data: { direction: 'back' } },
      };
    case 3:
      return { inputs: [['ir', { raw_us: [n + 1, 2, 3] }]], expected: { name: 'remote', data: { raw: [n + 1, 2, 3] } } };
    default: {
      const uid = n.toString(16).padStart(8, '0').toUpperCase();
      return { inputs: [['nfc_out', { uid }]], expected: { name: 'tag_removed', data: { uid } } };
    }
  }
}

/** Asks, taps and cuts while `goesOn`. In every round taps, answer and events must add up. @param onAnswer called for each answered question */
async function askAndTap(system: TestSystem, tenant: Tenant, movable: MovableRobot, goesOn: () => boolean, onAnswer: () => void): Promise<void> {
  const { id, robot } = movable;
  let answers = 0;
  let taps = 0;
  while (goesOn()) {
    await robot.until(({ online }) => online, { timeoutMs: 20_000 });
    const call = tenant.api(answers).act(id, 'ask', { question: `${answers}?`, answers: ['a', 'b'], timeout_s: 60 });
    let open = true;
    const isOpen = (): boolean => open;
    void call.finally(() => (open = false)).catch(() => {});
    if (Math.random() < 0.5) await Promise.race([waitArmed(system, id, robot), call]);
    const cutsAt = Math.random();
    if (cutsAt < 0.4) cut(system, movable);
    while (isOpen()) {
      robot.touchDown(...left);
      if (cutsAt > 0.3 && Math.random() < 0.3) {
        await pause(3);
        cut(system, movable);
      }
      robot.touchUp(...left, 90);
      taps += 1;
      if (Math.random() < 0.2) {
        await pause(3);
        cut(system, movable);
      }
      await acked(robot);
      // It is stored. Whether it answered the wait is known within a moment.
      await Promise.race([call, until(async () => (await tapsOf(system, id)) + answers === taps).catch(() => {})]);
    }
    const { status, body } = await call;
    if (status === 503) {
      // Rejected because the connection was cut before the wait was opened: nothing was asked.
      assert.ok(['robot_offline', 'outcome_unknown'].includes(body.code), JSON.stringify(body));
    } else {
      assert.deepEqual([status, body.outcome, body.index], [200, 'answered', 0], JSON.stringify(body));
      answers += 1;
      onAnswer();
    }
    assert.equal((await tapsOf(system, id)) + answers, taps, `${id}: each tap is an event or the answer`);
    await robot.until(({ screen }) => screen.question === null, { timeoutMs: 10_000, what: 'the question to be taken away' });
  }
  assert.deepEqual(robot.violations, []);
}

const tapsOf = async (system: TestSystem, id: string): Promise<number> => (await eventsOf(system, id)).filter(({ name }) => name === 'tap').length;

const acked = (robot: VirtualRobot): Promise<void> =>
  robot.until(({ inputs }) => inputs.acked === inputs.seq, { timeoutMs: 30_000, what: 'the inputs to be acked' });
