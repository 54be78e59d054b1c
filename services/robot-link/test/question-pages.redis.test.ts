import assert from 'node:assert/strict';
import type { PictureRef, Target, WaitOutcome, WaitRecord } from '@perch/schema';
import { greyPageId, readPageId, waitPictureId } from '@perch/store';
import { until } from '@perch/testkit';
import { useLinks, type TestRobot } from './links-under-test.js';
import { questionsOn } from './questions.js';

const pageMs = 60;

describe('the pages of a question', () => {
  const system = useLinks();

  const questionOf = ({ robot }: TestRobot): string | undefined => robot.screen.question?.id;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const { targets, outcomeOf, armed } = questionsOn(system);

  async function started(): Promise<TestRobot> {
    return system.started(await system.instance(), { instant: true });
  }

  async function ask(made: TestRobot, afterMs = pageMs, timeoutMs = 30_000): Promise<{ number: number; ids: string[] }> {
    const pictures = [await system.picture(), await system.picture(), await system.picture()];
    const number = (await system.store.waits.number(made.id))!;
    const ids = pictures.map((_, i) => waitPictureId(number, i + 1));
    const pages = [1, 2, 0].map((i) => ({ id: ids[i]!, picture: pictures[i]!, afterMs }));
    await system.gateway.wait(made, { number, kind: 'ask', targets, picture: pictures[0]!, pages, timeoutMs });
    await armed(made, number);
    return { number, ids };
  }

  async function turns(made: TestRobot, ids: readonly string[]): Promise<void> {
    for (const id of ids) await until(() => questionOf(made) === id, { what: `page ${id}`, everyMs: 5 });
  }

  const shows = ({ robot }: TestRobot, id: string): number => robot.commands.filter(({ args, ack }) => args['id'] === id && ack?.ok === true).length;

  /** Resolves when the robot has acked the picture whose answers count: a touch counts if it begins after that. */
  async function counts(made: TestRobot, live: string, times = 0): Promise<void> {
    await until(() => shows(made, live) > times, { what: `${live} to be shown` });
  }

  /** Leaves time for five turns, none of which may happen. */
  async function staysAt(made: TestRobot, id: string | undefined): Promise<void> {
    // The screen changes before the robot notes the command that changed it.
    if (id === undefined) await until(() => made.robot.commands.at(-1)!.name === 'screen.clear', { what: 'the question to be removed' });
    const before = made.robot.commands.length;
    await pause(5 * pageMs);
    assert.equal(questionOf(made), id);
    assert.deepEqual(made.robot.commands.slice(before), []);
  }

  it('the pages of a question turn from the first one again, each with the time that the question has left', async () => {
    const made = await started();
    const { ids } = await ask(made, 20);
    const shows = () => made.robot.commands.filter(({ name }) => name === 'screen.show');
    await until(() => shows().length >= 7, { what: 'two rounds of pages' });
    assert.deepEqual(
      shows()
        .slice(0, 7)
        .map(({ args }) => args['id']),
      [...ids, ...ids, ids[0]],
    );
    const left = shows()
      .slice(0, 7)
      .map(({ args }) => Number(args['show_ms']));
    assert.deepEqual(
      left,
      left.toSorted((a, b) => b - a),
    );
    assert.ok(left[0]! <= 32_000 && left[6]! > 25_000 && left[6]! < left[0]!, left.join());
  });

  it('a tap on any page of a question is its answer, ends the turning and removes the page', async () => {
    const made = await started();
    for (const page of [0, 1, 2]) {
      const { number, ids } = await ask(made);
      await turns(made, ids.slice(0, page + 1));
      await made.robot.tap(200, 100);
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 1, x: 200, y: 100 });
      await made.robot.until(({ screen }) => screen.question === null, { what: `page ${page + 1} removed` });
      await staysAt(made, undefined);
    }
    assert.deepEqual(await system.eventNames(made), ['connected']);
    assert.deepEqual(made.robot.violations, []);
  });

  it('a tap on the pages of a question counts once, at whatever moment of a turn it is made', async () => {
    const made = await started();
    for (let i = 0; i < 15; i++) {
      const { number } = await ask(made, 15);
      await pause(Math.random() * 60);
      await made.robot.tap(20, 100);
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 100 });
      await made.robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
      await pause(45);
      assert.equal(questionOf(made), undefined);
    }
    assert.deepEqual(await system.eventNames(made), ['connected']);
    assert.deepEqual(made.robot.violations, []);
  });

  it('the pages of a question are removed if the tap is made while a page is in flight', async () => {
    const made = await started();
    const { number } = await ask(made);
    made.robot.faults.ackLate(300);
    const shown = made.robot.commands.length;
    await until(() => made.robot.commands.length > shown, { what: 'a page without its ack' });
    await made.robot.tap(20, 100);
    assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    made.robot.faults.none();
    await made.robot.until(({ screen }) => screen.question === null);
    await staysAt(made, undefined);
  });

  it('never cover a newer question, at whatever moment it is asked', async () => {
    const made = await started();
    for (let i = 0; i < 10; i++) {
      const older = await ask(made, 15);
      await pause(Math.random() * 60);
      const { number } = await system.gateway.wait(made, { kind: 'ask', targets, picture: await system.picture(40_000) });
      await armed(made, number);
      assert.deepEqual(await outcomeOf(made, older.number), { outcome: 'replaced' });
      await pause(45);
      assert.equal(questionOf(made), `w${number}`);
      assert.equal(made.robot.commands.at(-1)!.args['id'], `w${number}`);
    }
  });

  it('the pages of a question end with a newer question on pages, which then turn', async () => {
    const made = await started();
    const older = await ask(made);
    await turns(made, older.ids.slice(0, 2));
    const newer = await ask(made);
    await turns(made, newer.ids);
    await made.robot.tap(20, 100);
    assert.equal((await outcomeOf(made, newer.number)).outcome, 'answered');
    await made.robot.until(({ screen }) => screen.question === null);
    await staysAt(made, undefined);
  });

  it('the pages of a question end when the wait times out or is ended, and when a clickmap waits', async () => {
    const made = await started();
    const short = await ask(made, 20, 150);
    assert.deepEqual(await outcomeOf(made, short.number), { outcome: 'timed_out' });
    await made.robot.until(({ screen }) => screen.question === null);
    await staysAt(made, undefined);
    await ask(made);
    await system.store.waits.stop(made.id);
    const { session } = await system.store.leases.find(made.id);
    await system.gateway.send(made, { t: 'wait_end', robot: made.id, session, number: (await system.store.waits.number(made.id))! });
    await made.robot.until(({ screen }) => screen.question === null);
    await staysAt(made, undefined);
    await ask(made);
    await system.gateway.wait(made, { kind: 'clickmap', targets });
    await made.robot.until(({ screen }) => screen.question === null);
    await staysAt(made, undefined);
  });

  it('the pages of a question continue to turn while the card beneath them changes', async () => {
    const made = await started();
    const { ids } = await ask(made, 100);
    const attachments = [{ path: [], picture: await system.picture() }];
    assert.equal((await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'beneath' }, attachments })).t, 'ack');
    await turns(made, [...ids.slice(1), ids[0]!]);
  });

  it('the pages of a question continue at the robot-link that the robot moves to, which receives the tap', async () => {
    const before = await system.instance();
    const made = await system.started(before, { instant: true });
    const { number, ids } = await ask(made, 200);
    await turns(made, ids.slice(0, 2));
    const after = await system.instance();
    made.robot.dialAt(after.app.address);
    await before.stop();
    await made.robot.until(({ online }) => online);
    const at = ids.indexOf(questionOf(made)!);
    await turns(made, [ids[(at + 1) % 3]!, ids[(at + 2) % 3]!]);
    await made.robot.tap(200, 100);
    assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 1, x: 200, y: 100 });
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('a robot-link removes the pages of a question if it finds that the wait has ended', async () => {
    const before = await system.instance();
    const made = await system.started(before, { instant: true });
    const { number, ids } = await ask(made, 100);
    await turns(made, ids.slice(0, 2));
    await before.stop();
    await system.store.waits.settle(made.id, number, { outcome: 'cancelled' }, null);
    made.robot.dialAt((await system.instance()).app.address);
    await made.robot.until(({ online, screen }) => online && screen.question === null);
  });

  it('pages whose turning stopped after three failures are named with the answer, unless all had shown', async () => {
    const made = await started();
    const tap = async (number: number): Promise<WaitOutcome> => {
      await made.robot.tap(20, 100);
      const outcome = await outcomeOf(made, number);
      await made.robot.until(({ screen }) => screen.question === null);
      return outcome;
    };
    for (const [seen, unseen] of [
      [2, true],
      [3, false],
    ] as const) {
      const { number, ids } = await ask(made, 100);
      await turns(made, ids.slice(0, seen));
      made.robot.faults.nack('hardware', ['screen.show']);
      const refused = () =>
        made.robot.commands.filter(({ name, args, ack }) => name === 'screen.show' && ids.includes(String(args['id'])) && ack?.ok === false);
      await until(() => refused().length === 3, { what: 'three failures' });
      await pause(250);
      assert.equal(refused().length, 3, 'no further attempt');
      made.robot.faults.none();
      assert.deepEqual(await tap(number), { outcome: 'answered', index: 0, x: 20, y: 100, ...(unseen && { pagesUnseen: true }) });
    }
    const { number } = await ask(made);
    assert.deepEqual(await tap(number), { outcome: 'answered', index: 0, x: 20, y: 100 }, 'a tap on the first page');
    const late = await ask(made, 200, 1_500);
    made.robot.faults.nack('hardware', ['screen.show']);
    assert.deepEqual(await outcomeOf(made, late.number), { outcome: 'timed_out', pagesUnseen: true });
    made.robot.faults.none();
  });

  it('each page of a question is found by its id while it shows', async () => {
    const made = await started();
    const { number } = await ask(made, 30_000);
    const record = (await system.store.waits.read(made.id, number))!.record;
    for (const { id, picture } of record.pages!)
      assert.deepEqual((await system.store.screenPictures.read(made.account, made.id, id))?.bytes, await system.store.media.read(picture));
  });

  describe('that must be read whole', () => {
    const buttons: Target[] = [
      { shape: 'rect', x: 0, y: 160, w: 155, h: 80 },
      { shape: 'rect', x: 165, y: 160, w: 155, h: 80 },
    ];
    const [allow, deny, beside] = [
      [20, 200],
      [300, 200],
      [160, 60],
    ] as const;

    /** The robot's time passes at once, so that each tap comes a second after its page; the service turns no page by itself. */
    async function askWhole(made: TestRobot, afterMs = 30_000): Promise<{ number: number; grey: string[]; live: string[] }> {
      const pictures: PictureRef[] = [];
      for (let i = 0; i < 6; i++) pictures.push(await system.picture());
      const number = (await system.store.waits.number(made.id))!;
      const grey = [1, 2, 3].map((page) => greyPageId(number, page));
      const live = [1, 2, 3].map((page) => readPageId(number, page));
      const greyPages = grey.map((id, i) => ({ id, picture: pictures[3 + i]!, afterMs: i === 0 ? 0 : afterMs }));
      const pages = [1, 2, 0].map((i) => ({ id: waitPictureId(number, i + 1), picture: pictures[i]!, afterMs }));
      const consent = { approval: true as const, deny: 1 };
      await system.gateway.wait(made, { number, kind: 'ask', targets: buttons, picture: pictures[0]!, pages, greyPages, consent });
      await armed(made, number);
      return { number, grey, live };
    }

    const tapped = async (made: TestRobot, [x, y]: readonly [number, number], events: number): Promise<Record<string, unknown>> => {
      await made.robot.tap(x, y);
      return until(async () => (await system.store.events.read(made.id, { after: 0 })).events[events]?.data, { what: `event ${events}` });
    };

    it('shows its grey pages once, then the last one with answers that count, then all in a circle', async () => {
      const made = await started();
      const { grey, live } = await askWhole(made, 20);
      const shows = (): unknown[] => made.robot.commands.flatMap(({ name, args }) => (name === 'screen.show' ? [args['id']] : []));
      await until(() => shows().length >= 10, { what: 'three rounds' });
      assert.deepEqual(shows().slice(0, 10), [...grey, live[2], ...live, ...live]);
    });

    it('is answered only when each page was on the screen for a second, and the answers are no longer grey; a tap beside the answers turns the page', async () => {
      const made = await started();
      const { number, grey, live } = await askWhole(made);
      assert.equal(questionOf(made), grey[0]);
      assert.deepEqual(await tapped(made, allow, 1), { x: 20, y: 200, early: true });
      assert.equal(questionOf(made), grey[0]);
      for (const [i, next] of [grey[1]!, grey[2]!].entries()) {
        assert.deepEqual(await tapped(made, beside, 2 + i), { x: 160, y: 60 });
        await turns(made, [next]);
      }
      made.robot.faults.nack('hardware', ['screen.show']);
      assert.deepEqual(await tapped(made, allow, 4), { x: 20, y: 200, early: true }, 'late enough, but the answers are grey');
      made.robot.faults.none();
      await counts(made, live[2]!);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
      await made.robot.until(({ screen }) => screen.question === null);
      assert.deepEqual(made.robot.violations, []);
    });

    it('has each picture found by its id, also the grey ones', async () => {
      const made = await started();
      const { number, live } = await askWhole(made);
      const { pages, greyPages } = (await system.store.waits.read(made.id, number))!.record;
      const shown = pages!.map((page, i) => ({ ...page, id: live[(i + 1) % 3]! }));
      for (const { id, picture } of [...greyPages!, ...pages!, ...shown])
        assert.deepEqual((await system.store.screenPictures.read(made.account, made.id, id))?.bytes, await system.store.media.read(picture), id);
    });

    it('is denied on its first page', async () => {
      const made = await started();
      const { number } = await askWhole(made);
      await made.robot.tap(...deny, { lookMs: 400 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 1, x: 300, y: 200 });
    });

    it('turns no page by a tap that comes less than a second after it', async () => {
      const made = await started();
      const { grey } = await askWhole(made);
      await made.robot.tap(...beside, { lookMs: 900 });
      await until(async () => (await system.store.events.read(made.id, { after: 0 })).events[1], { what: 'the tap' });
      await staysAt(made, grey[0]);
    });

    it('continues on its grey page at the robot-link that the robot moves to, and its time starts there', async () => {
      const before = await system.instance();
      const made = await system.started(before, { instant: true });
      const { number, grey, live } = await askWhole(made);
      await tapped(made, beside, 1);
      await turns(made, [grey[1]!]);
      const after = await system.instance();
      made.robot.dialAt(after.app.address);
      await before.stop();
      await made.robot.until(({ online }) => online);
      const shown = (): number => made.robot.commands.filter(({ args }) => args['id'] === grey[1]).length;
      await until(() => shown() === 2, { what: 'the page is shown again' });
      assert.deepEqual((await tapped(made, allow, 2))['early'], true);
      await tapped(made, beside, 3);
      await turns(made, [grey[2]!, live[2]!]);
      await made.robot.tap(...allow);
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });

    it('begins again if a robot-link of 0.10 showed it, which turns its pages without a first round', async () => {
      const before = await system.instance();
      const made = await system.started(before, { instant: true });
      const number = (await system.store.waits.number(made.id))!;
      const pictures = [await system.picture(), await system.picture()];
      const pages = [1, 0].map((i) => ({ id: waitPictureId(number, i + 1), picture: pictures[i]!, afterMs: 30_000 }));
      const greyPages = [1, 2].map((page) => ({ id: greyPageId(number, page), picture: pictures[page - 1]!, afterMs: page === 1 ? 0 : 30_000 }));
      const consent = { approval: true as const, deny: 1 };
      // It knows no grey pages.
      const known = await system.gateway.wait(made, { number, kind: 'ask', targets: buttons, picture: pictures[0]!, pages, consent });
      await armed(made, number);
      assert.equal(questionOf(made), waitPictureId(number));
      const key = `perch:{${made.id}}:wait:${number}`;
      await system.store.connections.commands.hset(key, 'record', JSON.stringify({ ...known, greyPages }));
      made.robot.dialAt((await system.instance()).app.address);
      await before.stop();
      await turns(made, [greyPages[0]!.id]);
      await armed(made, number);
      assert.deepEqual((await tapped(made, allow, 1))['early'], true);
      await tapped(made, beside, 2);
      await turns(made, [greyPages[1]!.id, readPageId(number, 2)]);
      await made.robot.tap(...allow);
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });

    it('that has been read is answered on any page after the robot moved', async () => {
      const before = await system.instance();
      const made = await system.started(before, { instant: true });
      const { number, grey, live } = await askWhole(made);
      for (const [i, next] of [grey[1]!, grey[2]!].entries()) {
        await tapped(made, beside, 1 + i);
        await turns(made, [next]);
      }
      await turns(made, [live[2]!]);
      await tapped(made, beside, 3);
      await turns(made, [live[0]!]);
      const after = await system.instance();
      made.robot.dialAt(after.app.address);
      await before.stop();
      await made.robot.until(({ online }) => online);
      await counts(made, live[0]!, 1);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });

    it('can only be denied while the robot refuses its pages, which it is sent until they have shown', async () => {
      const made = await started();
      const { number, grey, live } = await askWhole(made, 1_100);
      await turns(made, [grey[0]!]);
      made.robot.faults.nack('hardware', ['screen.show']);
      const refused = () => made.robot.commands.filter(({ name, ack }) => name === 'screen.show' && ack?.ok === false);
      await until(() => refused().length === 4, { what: 'four failures' });
      assert.deepEqual((await tapped(made, allow, 1))['early'], true);
      const other = await started();
      const denied = await askWhole(other, 1_100);
      await turns(other, [denied.grey[0]!]);
      other.robot.faults.nack('hardware', ['screen.show']);
      await until(() => other.robot.commands.filter(({ name, ack }) => name === 'screen.show' && ack?.ok === false).length === 3, {
        what: 'three failures',
      });
      other.robot.faults.none();
      await other.robot.tap(...deny);
      assert.deepEqual(await outcomeOf(other, denied.number), { outcome: 'answered', index: 1, x: 300, y: 200, pagesUnseen: true });

      made.robot.faults.none();
      await until(() => live.includes(questionOf(made)!), { what: 'answers that count' });
      await made.robot.tap(...allow);
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });
  });

  describe('of an approval on one page', () => {
    const buttons: Target[] = [
      { shape: 'rect', x: 0, y: 160, w: 155, h: 80 },
      { shape: 'rect', x: 165, y: 160, w: 155, h: 80 },
    ];
    const [allow, deny] = [
      [20, 200],
      [300, 200],
    ] as const;

    async function approves(made: TestRobot, more: Partial<WaitRecord> = {}): Promise<{ number: number; grey: string; live: string }> {
      const picture = await system.picture();
      const number = more.number ?? (await system.store.waits.number(made.id))!;
      const greyPages = [{ id: greyPageId(number, 1), picture: await system.picture(), afterMs: 0 }];
      const consent = { approval: true as const, deny: 1 };
      await system.gateway.wait(made, { number, kind: 'ask', targets: buttons, picture, greyPages, consent, ...more });
      await armed(made, number);
      return { number, grey: greyPages[0]!.id, live: readPageId(number, 1) };
    }

    const tapEvents = async (made: TestRobot): Promise<Record<string, unknown>[]> =>
      (await system.store.events.read(made.id, { after: 0 })).events.flatMap(({ name, data }) => (name === 'tap' ? [data] : []));

    it('the grey answers are drawn as ones that count after a second, and count from then on', async () => {
      const made = await system.started(await system.instance());
      const { number, grey, live } = await approves(made);
      assert.equal(questionOf(made), grey);
      await made.robot.tap(...allow, { lookMs: 400 });
      await until(async () => (await tapEvents(made)).length === 1, { what: 'the early tap' });
      await counts(made, live);
      const [first, second] = [grey, live].map((id) => made.robot.commands.find(({ args }) => args['id'] === id)!.ack!.ms);
      assert.ok(second! - first! >= 999 && second! - first! < 20_000, `${second! - first!} ms`);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
      assert.deepEqual(await tapEvents(made), [{ x: 20, y: 200, early: true }]);
      await made.robot.until(({ screen }) => screen.question === null);
      assert.deepEqual(made.robot.violations, []);
    });

    it('is denied while its answers are grey', async () => {
      const made = await started();
      const { number } = await approves(made);
      await made.robot.tap(...deny, { lookMs: 400 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 1, x: 300, y: 200 });
      await made.robot.until(({ screen }) => screen.question === null);
    });

    it('is not answered while the second picture fails, which is sent until it shows; then it is', async () => {
      const made = await started();
      const { number, grey, live } = await approves(made);
      made.robot.faults.nack('hardware', ['screen.show']);
      const refused = (): number => made.robot.commands.filter(({ args, ack }) => args['id'] === live && ack?.ok === false).length;
      await until(() => refused() === 4, { what: 'four failures' });
      await made.robot.tap(...allow);
      await until(async () => (await tapEvents(made)).length === 1, { what: 'the early tap' });
      assert.equal(questionOf(made), grey);
      made.robot.faults.none();
      await counts(made, live);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });

    it('is drawn again if the second picture has expired', async () => {
      const made = await started();
      const { number, live } = await approves(made);
      const { record, armed: before } = (await system.store.waits.read(made.id, number))!;
      await system.store.connections.commands.del(`perch:{${made.account}}:media:${record.picture!.hash}`);
      assert.deepEqual(await system.gateway.reply(record.call), { t: 'media_missing', id: record.call, hash: record.picture!.hash });
      await made.robot.until(({ screen }) => screen.question === null);
      const picture = await system.picture();
      const again = { ...record, picture };
      const { session } = await system.store.leases.find(made.id);
      await system.gateway.send(made, { t: 'wait', robot: made.id, session, record: again });
      await counts(made, live);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
      assert.equal((await system.store.waits.read(made.id, number))!.armed!.deadline, before!.deadline);
    });

    it('continues, grey or not, at the robot-link that the robot moves to, where it counts once it is shown again', async () => {
      for (const isLive of [false, true]) {
        const before = await system.instance();
        const made = await system.started(before, { instant: true });
        const { number, grey, live } = await approves(made);
        if (isLive) await counts(made, live);
        const showing = isLive ? live : grey;
        const times = shows(made, showing);
        const after = await system.instance();
        made.robot.dialAt(after.app.address);
        await before.stop();
        await made.robot.until(({ online }) => online);
        await until(() => shows(made, showing) > times, { what: 'the picture is shown again' });
        await counts(made, live, isLive ? times : 0);
        await made.robot.tap(...allow, { lookMs: 1 });
        assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
        assert.deepEqual(await tapEvents(made), []);
        await made.robot.until(({ screen }) => screen.question === null);
      }
    });

    it('begins again with grey answers after a robot-link of 0.10, which shows the other picture at once', async () => {
      const before = await system.instance();
      const made = await system.started(before, { instant: true });
      const number = (await system.store.waits.number(made.id))!;
      const known = await system.gateway.wait(made, { number, kind: 'ask', targets: buttons, picture: await system.picture() });
      await armed(made, number);
      assert.equal(questionOf(made), waitPictureId(number));
      const greyPages = [{ id: greyPageId(number, 1), picture: await system.picture(), afterMs: 0 }];
      const key = `perch:{${made.id}}:wait:${number}`;
      await system.store.connections.commands.hset(key, 'record', JSON.stringify({ ...known, greyPages, consent: { approval: true } }));
      made.robot.dialAt((await system.instance()).app.address);
      await before.stop();
      await turns(made, [greyPages[0]!.id]);
      await counts(made, readPageId(number, 1));
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 20, y: 200 });
    });

    it('only the first page is grey if the question needs not be read whole, and any page is answered', async () => {
      const made = await started();
      const number = (await system.store.waits.number(made.id))!;
      const pages = [2, 3, 1].map((page) => ({ id: waitPictureId(number, page), picture: null as unknown as PictureRef, afterMs: 100 }));
      for (const page of pages) page.picture = await system.picture();
      await approves(made, { number, pages, picture: pages[2]!.picture });
      const [grey, ...live] = [greyPageId(number, 1), readPageId(number, 1), readPageId(number, 2)];
      await until(() => shows(made, live[1]!) === 1, { what: 'the second page' });
      assert.deepEqual(made.robot.commands.flatMap(({ name, args }) => (name === 'screen.show' ? [args['id']] : [])).slice(0, 3), [grey, ...live]);
      await made.robot.tap(...allow, { lookMs: 1 });
      assert.equal((await outcomeOf(made, number)).outcome, 'answered');
    });
  });
});
