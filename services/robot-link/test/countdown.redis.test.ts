import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { DrawJob, RobotCommand } from '@perch/schema';
import { cardScene, countdownFrame, type Scene } from '@perch/screen';
import { countdownCardId, newCountdownSeries, renderHash, type RenderWorker } from '@perch/store';
import { until } from '@perch/testkit';
import { TestSystem, type TestRobot } from './test-system.js';

const formats = ['png'] as const;

describe('the countdown on a card', () => {
  let system: TestSystem;
  let renderer: RenderWorker;
  /** Texts of the countdowns that were drawn, by the title of their card. */
  const drawn = new Map<string, string[]>();

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

  it('shows one second after the other, each no earlier than it is true, and each drawn once', async () => {
    const made = await system.started(await system.instance());
    const { title, end } = await show(made, 300);
    const seen = [restOf(made)];
    await until(
      () => {
        const rest = restOf(made);
        if (rest !== seen.at(-1)) {
          seen.push(rest);
          assert.ok(end - system.store.clock.now() <= rest * 1000, `${rest} s with ${end - system.store.clock.now()} ms left`);
        }
        return seen.length === 5;
      },
      { what: 'five seconds', timeoutMs: 15_000 },
    );
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => b - a),
    );
    const texts = drawn.get(title)!;
    assert.equal(new Set(texts).size, texts.length);
    assert.ok(texts.length <= seen[0]! - seen.at(-1)! + 1 + 6, `${texts.length} drawn for ${seen.join()}`);
    assert.deepEqual(made.robot.violations, []);
  });

  it('stays at 0:00 without a text for the end', async () => {
    const made = await system.started(await system.instance());
    const { title } = await show(made, 1);
    await until(() => textOf(made) === `${title}\n0:00`, { what: '0:00', timeoutMs: 15_000 });
  });

  it('shows the end if it was delivered after it', async () => {
    const made = await system.started(await system.instance());
    const series = newCountdownSeries();
    const scene = cardScene({ title: series, countdown: { rest: 3, done: 'Over' } });
    const picture = await system.picture();
    const countdown = { end: system.store.clock.now() - 5000, scene, formats, bytesMax: 98_304 };
    const args = { layer: 'card', id: countdownCardId(picture.hash, series) };
    await system.gateway.command(made, { name: 'screen.show', args, attachments: [{ path: [], picture }], countdown });
    await until(() => textOf(made) === `${series}\nOver`, { what: 'the text of the end', timeoutMs: 15_000 });
  });

  it('shares the frames of cards that are alike', async () => {
    const link = await system.instance();
    const [one, two] = [await system.started(link), await system.started(link)];
    const { title, end } = await show(one, 300);
    const scene = cardScene({ title, countdown: { rest: 300 } });
    const picture = await system.picture();
    const args = { layer: 'card', id: countdownCardId(picture.hash, newCountdownSeries()) };
    const countdown = { end, scene: countdownFrame(scene, 300), formats, bytesMax: 98_304 };
    await system.gateway.command(two, { name: 'screen.show', args, attachments: [{ path: [], picture }], countdown });
    await until(() => /\d:\d\d$/.test(textOf(two)) && restOf(two) <= 297 && restOf(one) <= 297, { what: 'both at 297 s', timeoutMs: 15_000 });
    const texts = drawn.get(title)!;
    assert.equal(new Set(texts).size, texts.length, texts.join());
  });
});
