/** Cards with a countdown, and a renderer of this process that draws their texts as they are, so that a robot's picture can be read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { DrawJob, RobotCommand } from '@perch/schema';
import { cardScene, type Scene } from '@perch/screen';
import { countdownCardId, newCountdownSeries, renderHash } from '@perch/store';
import { until } from '@perch/testkit';
import type { LinksUnderTest, TestRobot } from './links-under-test.js';

export const formats = ['png'] as const;

export class CountdownCards {
  /** Texts of the countdowns that were drawn, by the title of their card. */
  readonly drawn = new Map<string, string[]>();
  /** If set, frames with another text are not drawn. */
  only: string | null = null;
  readonly #system: LinksUnderTest;

  constructor(system: LinksUnderTest) {
    this.#system = system;
  }

  async startRenderer(): Promise<void> {
    const unused = () => assert.fail();
    const renderer = this.#system.store.jobs.work(
      { draw: (job) => this.#draw(job), sound: unused, speech: unused },
      { scenes: 4, uploads: 1, speech: 1 },
    );
    this.#system.keep(() => renderer.close());
    await renderer.ready();
  }

  async show(made: TestRobot, seconds: number, done?: string): Promise<{ title: string; end: number }> {
    const { store, gateway } = this.#system;
    const title = randomBytes(4).toString('hex');
    const scene = cardScene({ title, countdown: { rest: seconds, ...(done === undefined ? {} : { done }) } });
    const job = { kind: 'draw', account: made.account, scene, uploads: [], formats, bytesMax: 98_304 } as const;
    const picture = await store.renders.obtain({ ...job, hash: renderHash(job) }, { ttlMs: 60_000 });
    assert.equal(picture.kind, 'picture');
    const end = store.clock.now() + seconds * 1000;
    const command: RobotCommand = {
      name: 'screen.show',
      args: { layer: 'card', id: countdownCardId(picture.hash, newCountdownSeries()) },
      attachments: [{ path: [], picture }],
      countdown: { end, scene, formats, bytesMax: 98_304 },
    };
    assert.equal((await gateway.command(made, command)).t, 'ack');
    return { title, end };
  }

  async #draw(job: DrawJob) {
    const [title, text] = (job.scene as Scene).boxes.flatMap((box) => (box.kind === 'text' ? [box.text] : []));
    if (this.only !== null && text !== this.only) throw new Error('not drawn');
    this.drawn.set(title!, [...(this.drawn.get(title!) ?? []), text!]);
    return { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from([title, text].join('\n')) } as const;
  }
}

export function useCountdownCards(system: LinksUnderTest): CountdownCards {
  const cards = new CountdownCards(system);
  before(() => cards.startRenderer());
  return cards;
}

export const textOf = ({ robot }: TestRobot): string => Buffer.from(robot.screen.card?.picture ?? []).toString();

/** Returns the seconds that the countdown on a robot shows. */
export function restOf(made: TestRobot): number {
  const [, minutes, seconds] = /(\d+):(\d\d)$/.exec(textOf(made)) ?? assert.fail(textOf(made));
  return Number(minutes) * 60 + Number(seconds);
}

export const fallsTo = (made: TestRobot, rest: number): Promise<boolean> => until(() => restOf(made) <= rest, { what: `${rest} s or less` });
