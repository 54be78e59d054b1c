import assert from 'node:assert/strict';
import type { WaitOutcome } from '@perch/schema';
import { waitPictureId } from '@perch/store';
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

  /** Leaves time for five turns, none of which may happen. */
  async function staysAt(made: TestRobot, id: string | undefined): Promise<void> {
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
      assert.deepEqual((await system.store.shownCards.read(made.account, made.id, id))?.bytes, await system.store.media.read(picture));
  });
});
