import assert from 'node:assert/strict';
import type { WaitConsent, WaitRecord } from '@perch/schema';
import { greyPageId, readPageId } from '@perch/store';
import { until } from '@perch/testkit';
import fc from 'fast-check';
import { leftHalf, rightHalf, useLink, useLinks, type TestRobot } from './links-under-test.js';
import { OwnClockRobot } from './own-clock-robot.js';

const targets = [leftHalf, rightHalf];

describe('when a touch counts', () => {
  const system = useLinks();
  const link = useLink(system);

  interface Made {
    id: string;
    token: string;
    own: OwnClockRobot;
  }

  const connected = async (fields: object = {}): Promise<Made> => {
    const { robot: id, token } = await system.store.robots.create({ account: system.account });
    const own = new OwnClockRobot();
    await own.connect(link.app.address, token, fields);
    return { id, token, own };
  };
  const asks = async ({ id, own }: Made, consent: WaitConsent = { by: 'one' }, more: Partial<WaitRecord> = {}): Promise<number> => {
    const wait = { kind: 'ask' as const, targets, picture: await system.picture(500), consent, ...more };
    const { number } = await system.gateway.wait({ id } as TestRobot, wait);
    await until(async () => (await system.store.waits.read(id, number))?.armed?.bootId, { what: `wait ${number} to be armed` });
    if (wait.picture !== null && wait.kind !== 'clickmap') await own.shows('question', `w${number}`);
    return number;
  };
  /** The gateway has such a question show with grey answers first. */
  const approves = async (made: Made, consent: WaitConsent = {}): Promise<{ number: number; grey: string; live: string }> => {
    const number = (await system.store.waits.number(made.id))!;
    const [grey, live] = [greyPageId(number, 1), readPageId(number, 1)];
    const wait = { number, kind: 'ask' as const, targets, picture: await system.picture(500), consent: { ...consent, approval: true as const } };
    await system.gateway.wait({ id: made.id } as TestRobot, { ...wait, greyPages: [{ id: grey, picture: await system.picture(500), afterMs: 0 }] });
    await until(async () => (await system.store.waits.read(made.id, number))?.armed?.bootId, { what: `wait ${number} to be armed` });
    return { number, grey, live };
  };
  /** Answers of a touch are stored before its ack, and events in their order. */
  const taps = async ({ id }: Made, count: number): Promise<Record<string, unknown>[]> => {
    const read = async () => (await system.store.events.read(id, {})).events.filter(({ name }) => name !== 'connected').map(({ data }) => data);
    await until(async () => (await read()).length >= count, { what: `${count} events` });
    return read();
  };
  const outcomeOf = async ({ id }: Made, number: number) => (await system.store.waits.read(id, number))?.outcome ?? null;
  const answered = (made: Made, number: number) => until(() => outcomeOf(made, number), { what: `the outcome of wait ${number}` });

  it('answers no approval with touches right after its picture, which replaced a harmless question, and reports each as early', async () => {
    const made = await connected();
    await asks(made);
    const number = await asks(made, { by: 'one', approval: true });
    const shownMs = made.own.ms;
    for (const afterMs of [0, 20, 50, 100, 200, 350, 999]) made.own.touch(shownMs + afterMs);
    const events = await taps(made, 7);
    assert.deepEqual(
      events,
      Array.from({ length: 7 }, () => ({ x: 60, y: 170, early: true })),
    );
    assert.equal(await outcomeOf(made, number), null);
    made.own.touch(shownMs + 1000);
    assert.deepEqual(await answered(made, number), { outcome: 'answered', index: 0, x: 60, y: 170 });
  });

  it('answers a question with a touch from 350 ms on, if the one before was answered and of the same key', async () => {
    const made = await connected();
    for (let i = 0; i < 3; i += 1) {
      const number = await asks(made);
      made.own.touch(made.own.ms + 350);
      assert.equal((await answered(made, number))!.outcome, 'answered');
    }
    assert.deepEqual(await taps(made, 0), []);
  });

  it('counts touches from 1 s on if a question of another key ended just before', async () => {
    const made = await connected();
    const first = await asks(made, { by: 'one' });
    made.own.touch(made.own.ms + 350);
    await answered(made, first);
    const shownMs = made.own.ms;
    const number = await asks(made, { by: 'two' });
    made.own.touch(shownMs + 999);
    assert.deepEqual(await taps(made, 1), [{ x: 60, y: 170, early: true }]);
    made.own.touch(shownMs + 1000);
    assert.equal((await answered(made, number))!.outcome, 'answered');
  });

  it('answers nothing with a ghost touch of 0 ms, one of more than 8 s, or one that begins beside the screen, and reports them as ever', async () => {
    const made = await connected();
    const number = await asks(made, { by: 'one', deny: 0 });
    made.own.touch(made.own.ms + 5000, { x: 58, y: 202, heldMs: 0 });
    made.own.touch(made.own.ms + 5000, { heldMs: 39 });
    made.own.touch(made.own.ms + 5000, { heldMs: 8001 });
    made.own.touch(made.own.ms + 5000, { x: 0, y: -3 });
    assert.deepEqual(await taps(made, 4), [
      { x: 58, y: 202 },
      { x: 60, y: 170 },
      { x: 60, y: 170 },
      { x: 0, y: 0 },
    ]);
    assert.equal(await outcomeOf(made, number), null);
  });

  it("counts a press of 0 ms of the web page's robot of 0.10.x", async () => {
    const made = await connected({ firmware: 'page-1' });
    const number = await asks(made);
    made.own.touch(made.own.ms + 350, { heldMs: 0 });
    assert.equal((await answered(made, number))!.outcome, 'answered');
  });

  it('answers an approval with a touch on the answer that denies from 350 ms on', async () => {
    const made = await connected();
    const number = await asks(made, { by: 'one', approval: true, deny: 1 });
    const shownMs = made.own.ms;
    made.own.touch(shownMs + 350);
    made.own.touch(shownMs + 450, { x: 250 });
    const outcome = await answered(made, number);
    assert.equal(outcome?.outcome === 'answered' && outcome.index, 1);
    assert.deepEqual(await taps(made, 1), [{ x: 60, y: 170, early: true }]);
  });

  it('shows the grey answers of an approval again after a touch of its dark screen, and counts touches once they are no longer grey', async () => {
    const made = await connected();
    const { number, grey, live } = await approves(made);
    await made.own.shows('question', live);
    made.own.touch(made.own.ms + 5000, { dark: true });
    await made.own.shows('question', grey);
    made.own.touch(made.own.ms + 2000);
    assert.deepEqual(await taps(made, 2), [
      { x: 60, y: 170, early: true },
      { x: 60, y: 170, early: true },
    ]);
    await made.own.shows('question', live);
    made.own.touch(made.own.ms + 1);
    assert.equal((await answered(made, number))!.outcome, 'answered');
  });

  it('counts a touch of a clickmap without a picture by the picture under it, and starts the time again with a new one', async () => {
    const made = await connected();
    const shows = async (id: string, fields: object = {}) => {
      const command = {
        name: 'screen.show',
        args: { layer: 'card', id },
        attachments: [{ path: [], picture: await system.picture(500) }],
        ...fields,
      };
      assert.equal((await system.gateway.command({ id: made.id } as TestRobot, command)).t, 'ack');
    };
    await shows('c-one');
    made.own.ms += 5000;
    const first = await asks(made, { by: 'one' }, { kind: 'clickmap', picture: null });
    made.own.touch(made.own.ms + 5);
    assert.equal((await answered(made, first))!.outcome, 'answered', 'the picture had been there for long');

    const second = await asks(made, { by: 'one' }, { kind: 'clickmap', picture: null });
    await shows('c-two');
    const changedMs = made.own.ms;
    made.own.touch(changedMs + 349);
    assert.deepEqual(await taps(made, 1), [{ x: 60, y: 170, early: true }]);
    await shows('c-two');
    made.own.touch(changedMs + 500);
    assert.equal((await answered(made, second))!.outcome, 'answered', 'the same picture again is no change');

    const third = await asks(made, { by: 'one' }, { kind: 'clickmap', picture: null });
    const clearedMs = made.own.ms;
    assert.equal((await system.gateway.command({ id: made.id } as TestRobot, { name: 'screen.clear', args: { layer: 'card' } })).t, 'ack');
    made.own.touch(clearedMs + 200);
    assert.equal((await taps(made, 2)).length, 2);
    assert.equal(await outcomeOf(made, third), null, 'another picture shows since the card went');
  });

  it('continues the time of a question through a reconnect of its robot, and answers it with a touch that the robot kept', async () => {
    const made = await connected();
    const number = await asks(made, { by: 'one', approval: true });
    const shownMs = made.own.ms;
    await made.own.disconnect();
    await made.own.connect(link.app.address, made.token);
    made.own.touch(shownMs + 999);
    assert.deepEqual(await taps(made, 1), [{ x: 60, y: 170, early: true }]);
    made.own.touch(shownMs + 1000 + 90);
    assert.equal((await answered(made, number))!.outcome, 'answered');
    assert.equal(made.own.commands.filter(({ name }) => name === 'screen.show').length, 1, 'it was not drawn again');
  });

  it('starts the time of a clickmap without a picture again when the robot reconnects, since what it showed meanwhile is not known', async () => {
    const made = await connected();
    const number = await asks(made, { by: 'one' }, { kind: 'clickmap', picture: null });
    await made.own.disconnect();
    made.own.ms += 10_000;
    await made.own.connect(link.app.address, made.token);
    await until(() => made.own.commands.filter(({ name }) => name === 'screen.clear').length === 2, { what: 'the command that asks for the clock' });
    const backMs = made.own.ms;
    made.own.touch(backMs - 5000);
    made.own.touch(backMs + 349);
    assert.deepEqual(
      await taps(made, 2),
      Array.from({ length: 2 }, () => ({ x: 60, y: 170, early: true })),
    );
    made.own.touch(backMs + 440);
    assert.equal((await answered(made, number))!.outcome, 'answered');
  });

  it('five menus of one key are answered 350 ms after each picture, as fast as a person taps', async () => {
    const made = await system.started(link);
    const times: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { number } = await system.gateway.wait(made, { kind: 'menu', targets, picture: await system.picture(), consent: { by: 'one' } });
      await until(async () => (await system.store.waits.read(made.id, number))?.armed, { what: `wait ${number} to be armed` });
      const shownMs = made.robot.commands.findLast(({ name }) => name === 'screen.show')!.ack!.ms;
      let downMs = 0;
      const off = made.robot.on('input', ({ kind, ms }) => (downMs = kind === 'touch_down' ? ms : downMs));
      await made.robot.tap(200, 100);
      off();
      const outcome = await until(async () => (await system.store.waits.read(made.id, number))?.outcome, { what: `the outcome of wait ${number}` });
      assert.equal(outcome.outcome, 'answered');
      times.push(downMs - shownMs);
      await made.robot.until(({ screen }) => screen.question === null);
    }
    assert.ok(
      times.every((ms) => ms >= 350),
      times.join(),
    );
    assert.deepEqual(await system.eventNames(made), ['connected'], 'none was early');
  });

  it('answers exactly with touches that began late enough, in any course of questions, keys, replacements, moves between instances and touches', async () => {
    const other = await system.instance();
    const links = [link, other];
    const touch = fc.record({
      step: fc.constant('touch' as const),
      afterMs: fc.constantFrom(0, 100, 349, 350, 500, 999, 1000, 3000),
      right: fc.boolean(),
      heldMs: fc.constantFrom(0, 39, 40, 90, 8001),
    });
    const ask = fc.record({
      step: fc.constant('ask' as const),
      by: fc.constantFrom('one', 'two'),
      // One of a gateway of 0.11 is shown with grey answers first.
      approval: fc.constantFrom(false, 'plain' as const, 'grey' as const),
      deny: fc.constantFrom(undefined, 0, 1),
    });
    const move = fc.record({ step: fc.constant('move' as const), to: fc.constantFrom(0, 1) });
    const live = fc.record({ step: fc.constant('live' as const) });
    const arbitraries = [
      { weight: 4, arbitrary: touch },
      { weight: 3, arbitrary: ask },
      { weight: 1, arbitrary: move },
      { weight: 1, arbitrary: live },
    ];
    const course = fc.array(fc.oneof(...arbitraries), {
      minLength: 4,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(course, async (steps) => {
        const made = await connected();
        let open = null as { number: number; shownMs: number; longMs: number; deny: number | undefined; isGrey: boolean } | null;
        let before = null as { by: string; endedAt: number } | null;
        let asked = '';
        let events = 0;
        for (const step of steps) {
          if (step.step === 'move') {
            await made.own.disconnect();
            const showing = made.own.showing.question;
            const times = (): number => made.own.commands.filter(({ args }) => args['id'] === showing).length;
            const before = times();
            await made.own.connect(links[step.to]!.app.address, made.token);
            if (open?.isGrey === true) await until(() => times() > before, { what: 'the picture to be shown again' });
          } else if (step.step === 'ask') {
            const openedBy = performance.now();
            const long: boolean =
              step.approval !== false || open !== null || (before !== null && before.by !== step.by && openedBy - before.endedAt < 1000);
            const unsure: boolean = before !== null && before.by !== step.by && !long;
            const consent = { by: step.by, ...(step.deny !== undefined && { deny: step.deny }) };
            const isGrey = step.approval === 'grey';
            const number = isGrey
              ? (await approves(made, consent)).number
              : await asks(made, { ...consent, ...(step.approval !== false && { approval: true as const }) });
            // How long Redis' two seconds took on a busy machine is not known here.
            const longMs: number = long ? 1000 : unsure ? ((await system.store.waits.read(made.id, number))!.armed!.countsAfterMs ?? 350) : 350;
            open = { number, shownMs: made.own.ms, longMs, deny: step.deny, isGrey };
            asked = step.by;
          } else if (step.step === 'live') {
            if (open?.isGrey === true) await made.own.shows('question', readPageId(open.number, 1));
          } else if (open !== null) {
            const { number, shownMs, longMs, deny, isGrey } = open;
            const index = step.right ? 1 : 0;
            const downMs = Math.max(made.own.ms, shownMs + step.afterMs);
            const isFinger = step.heldMs >= 40 && step.heldMs <= 8000;
            const isDenied = index === deny;
            const [greyMs = Infinity, liveMs = Infinity] = [greyPageId(number, 1), readPageId(number, 1)].map((id) => made.own.shownAt.get(id));
            const isLive = !isGrey || isDenied || (made.own.showing.question === readPageId(number, 1) && downMs > liveMs && downMs - greyMs >= 1000);
            const counts = isFinger && isLive && downMs - shownMs >= (isDenied ? 350 : longMs);
            made.own.touch(downMs, { x: step.right ? 250 : 60, heldMs: step.heldMs });
            if (counts) {
              const outcome = await answered(made, number);
              assert.deepEqual(outcome, { outcome: 'answered', index, x: step.right ? 250 : 60, y: 170 });
              before = { by: asked, endedAt: performance.now() };
              open = null;
            } else {
              events += 1;
              const last = (await taps(made, events)).at(-1)!;
              assert.equal(last['early'] ?? false, isFinger, JSON.stringify(step));
              assert.equal(await outcomeOf(made, number), null);
            }
          }
        }
        await made.own.disconnect();
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});
