import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { DrawJob, RobotCommand } from '@perch/schema';
import { cardScene, type Scene } from '@perch/screen';
import { countdownCardId, newCountdownSeries, renderHash, type RenderWorker } from '@perch/store';
import { until } from '@perch/testkit';
import { TestSystem, type TestRobot } from './test-system.js';

const formats = ['png'] as const;

describe('the countdown on a card that is covered, replaced or moved', () => {
  let system: TestSystem;
  let renderer: RenderWorker;
  /** Texts of the countdowns that were drawn, by the title of their card. */
  const drawn = new Map<string, string[]>();
  /** Frames with another text are not drawn while it is set. */
  let only: string | null = null;

  before(async () => {
    system = await TestSystem.open();
    const unused = () => assert.fail();
    renderer = system.store.jobs.work({ draw, sound: unused, speech: unused }, { scenes: 4, uploads: 1, speech: 1 });
    await renderer.ready();
  });
  after(async () => {
    await renderer.close();
    await system.close();
  });

  const textsOf = (job: Pick<DrawJob, 'scene'>): string[] => (job.scene as Scene).boxes.flatMap((box) => (box.kind === 'text' ? [box.text] : []));

  /** Draws the texts of the card as they are, so that a robot's picture can be read. */
  async function draw(job: DrawJob) {
    const [title, text] = textsOf(job);
    if (only !== null && text !== only) throw new Error('not drawn');
    drawn.set(title!, [...(drawn.get(title!) ?? []), text!]);
    return { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from([title, text].join('\n')) } as const;
  }

  interface Shown {
    title: string;
    end: number;
  }

  async function show(made: TestRobot, seconds: number, done?: string): Promise<Shown> {
    const title = randomBytes(4).toString('hex');
    const scene = cardScene({ title, countdown: { rest: seconds, ...(done === undefined ? {} : { done }) } });
    const job = { kind: 'draw', account: made.account, scene, uploads: [], formats, bytesMax: 98_304 } as const;
    const picture = await system.store.renders.obtain({ ...job, hash: renderHash(job) }, { ttlMs: 60_000 });
    assert.equal(picture.kind, 'picture');
    const end = system.store.clock.now() + seconds * 1000;
    const command: RobotCommand = {
      name: 'screen.show',
      args: { layer: 'card', id: countdownCardId(picture.hash, newCountdownSeries()) },
      attachments: [{ path: [], picture }],
      countdown: { end, scene, formats, bytesMax: 98_304 },
    };
    assert.equal((await system.gateway.command(made, command)).t, 'ack');
    return { title, end };
  }

  const textOf = ({ robot }: TestRobot): string => Buffer.from(robot.screen.card?.picture ?? []).toString();
  const restOf = (made: TestRobot): number => {
    const [, minutes, seconds] = /(\d+):(\d\d)$/.exec(textOf(made)) ?? assert.fail(textOf(made));
    return Number(minutes) * 60 + Number(seconds);
  };
  const fallsTo = (made: TestRobot, rest: number) => until(() => restOf(made) <= rest, { what: `${rest} s or less`, timeoutMs: 15_000 });

  it('shows its text at the end, and draws nothing more', async () => {
    const link = await system.instance();
    const [ends, other] = [await system.started(link), await system.started(link)];
    const { title } = await show(ends, 2, 'Tea is ready');
    await until(() => textOf(ends) === `${title}\nTea is ready`, { what: 'the text of the end', timeoutMs: 15_000 });
    assert.match(ends.robot.screen.card!.id, /^card-/);
    const count = drawn.get(title)!.length;
    await show(other, 300);
    await fallsTo(other, 297);
    assert.equal(drawn.get(title)!.length, count);
    assert.equal(textOf(ends), `${title}\nTea is ready`);
  });

  it('a countdown is no longer drawn or shown after a newer card, a clear or the picture of a clickmap', async () => {
    const link = await system.instance();
    const robots = [await system.started(link), await system.started(link), await system.started(link)];
    const shown = await Promise.all(robots.map((made) => show(made, 300)));
    await Promise.all(robots.map((made) => fallsTo(made, 299)));
    const [replaced, cleared, mapped] = robots as [TestRobot, TestRobot, TestRobot];
    const attachments = [{ path: [], picture: await system.picture() }];
    await system.gateway.command(replaced, { name: 'screen.show', args: { layer: 'card', id: 'newer' }, attachments });
    await system.gateway.command(cleared, { name: 'screen.clear', args: { layer: 'card' } });
    const targets = [{ shape: 'rect', x: 0, y: 0, w: 10, h: 10 } as const];
    const { number } = await system.gateway.wait(mapped, { kind: 'clickmap', targets, picture: await system.picture() });
    await until(() => mapped.robot.screen.card?.id === `w${number}`, { what: 'the picture of the clickmap' });
    // A frame that a renderer had begun may still be finished.
    const other = await system.started(link);
    await show(other, 300);
    await fallsTo(other, 299);
    const counts = shown.map(({ title }) => drawn.get(title)!.length);
    await fallsTo(other, 296);
    assert.deepEqual(
      shown.map(({ title }) => drawn.get(title)!.length),
      counts,
    );
    assert.deepEqual(
      robots.map(({ robot }) => robot.screen.card?.id ?? null),
      ['newer', null, `w${number}`],
    );
  });

  it('a countdown is not drawn while a question covers it, and continues with the current second afterwards', async () => {
    const link = await system.instance();
    const [made, other] = [await system.started(link), await system.started(link)];
    const { title, end } = await show(made, 300);
    await fallsTo(made, 299);
    const targets = [{ shape: 'rect', x: 0, y: 0, w: 10, h: 10 } as const];
    const { number } = await system.gateway.wait(made, { kind: 'ask', targets, picture: await system.picture() });
    await until(() => made.robot.screen.question?.id === `w${number}`, { what: 'the question' });
    await show(other, 300);
    await fallsTo(other, 299);
    const [count, shown] = [drawn.get(title)!.length, textOf(made)];
    await fallsTo(other, 295);
    assert.equal(drawn.get(title)!.length, count);
    assert.equal(textOf(made), shown);
    await made.robot.tap(5, 5);
    const left = Math.ceil((end - system.store.clock.now()) / 1000);
    await fallsTo(made, left);
  });

  it('goes on with the robot-link that takes the robot over, and after the robot was away', async () => {
    const before = await system.instance();
    const made = await system.started(before);
    const { title } = await show(made, 300, 'Done');
    await fallsTo(made, 298);
    const after = await system.instance();
    made.robot.dialAt(after.app.address);
    await before.stop();
    await made.robot.until(({ online }) => online);
    const taken = restOf(made);
    await fallsTo(made, taken - 3);
    assert.ok(textOf(made).startsWith(title));
  });

  it('skips the seconds that cannot be drawn, and shows the present one when drawing works again', async () => {
    const made = await system.started(await system.instance());
    only = '5:00';
    const { end } = await show(made, 300);
    try {
      await until(() => (end - system.store.clock.now()) / 1000 < restOf(made) - 2, { what: 'seconds to be missed', timeoutMs: 15_000 });
      assert.equal(restOf(made), 300);
    } finally {
      only = null;
    }
    const left = Math.ceil((end - system.store.clock.now()) / 1000);
    await fallsTo(made, left);
  });
});
