/** Sessions that follow each other, of a robot that does each command when the test lets it. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Armed, WaitRecord, WaitState } from '@perch/schema';
import type { SavedLight, SettleResult } from '@perch/store';
import fc from 'fast-check';
import type { ScreenTouch } from '../src/input/screen-touch.js';
import { SessionUnderTest, settled, type WrittenCommand } from './session-under-test.js';

const declared = [
  { name: 'screen', class: 'program', args: { type: 'object', properties: { on: { type: 'boolean' } } } },
  { name: 'brightness', class: 'program', args: { type: 'object', properties: { pct: { type: 'integer' } } } },
];
const readableFromPct = 10;
const countsAfterMs = 350;

/** The clock of the robot, of Redis and of this process, ms. */
let clockMs = 1000;

class Desk {
  readonly answered: { number: number; touch: ScreenTouch }[] = [];
  #on = true;
  #pct = 80;
  /** Since when the screen can be read; null while it cannot. */
  litSince: number | null = 0;
  #question: string | null = null;
  #seq = 0;
  #number = 0;
  #open: WaitState | null = null;
  #saved: SavedLight | null = null;
  #session: SessionUnderTest | null = null;

  constructor() {
    this.connect();
  }

  /** Another session takes the robot over. @param did how many commands the robot has done whose acks are lost; the others are, too */
  connect(did = 0): void {
    this.#session?.session.onClosed(1006);
    for (const command of this.#session?.unacked.slice(0, did) ?? []) this.#do(command);
    this.#session = new SessionUnderTest({
      declared,
      question: this.#question,
      wait: this.#open,
      light: this.#saved,
      now: () => clockMs,
      saved: ({ light = null }) => (this.#saved = structuredClone(light)),
      waits: {
        arm: (_robot, _session, { number }, at) => Promise.resolve(this.#arm(number, { ...at, deadline: 1e9, countsAfterMs })),
        settle: (_robot, number) => Promise.resolve(this.#settle(number)),
        read: () => Promise.resolve(this.#open as never),
      },
    });
  }

  get #robot(): SessionUnderTest {
    return this.#session!;
  }

  program(command: 'screen' | 'brightness', args: { on: boolean } | { pct: number }): void {
    const message = { t: 'command', id: 'c', gateway: 'g', robot: 'r', session: 's', requestId: 'q', expires: 1e9 } as const;
    this.#robot.session.take({ ...message, command: { name: 'robot', args: { command, args } } });
  }

  ask(kind: 'ask' | 'clickmap'): void {
    const number = (this.#number += 1);
    const picture = kind === 'ask' ? ({ kind: 'picture', account: 'a', hash: 'h' } as never) : null;
    const target = { shape: 'rect', x: 0, y: 0, w: 320, h: 240 } as const;
    const record: WaitRecord = { number, kind, targets: [target], picture, timeoutMs: 1e6, gateway: 'g', call: 'c', requestId: 'r' };
    this.#open = { record, armed: null, outcome: null };
    this.#robot.session.waits.open(record);
  }

  end(): void {
    this.#settle(this.#number);
    this.#robot.session.waits.close(this.#number);
  }

  /** The robot does the first command that was written, or refuses it. */
  step(refuses: boolean): void {
    const first = this.#robot.unacked[0];
    if (first === undefined) return;
    if (!refuses) this.#do(first);
    this.#robot.ack(clockMs, refuses);
  }

  async touch(): Promise<void> {
    const number = this.#open?.record.number ?? 0;
    const litSince = this.litSince;
    const touch: ScreenTouch = {
      kind: 'touch',
      x: 9,
      y: 9,
      endX: 9,
      endY: 9,
      heldMs: 90,
      downMs: clockMs,
      downSeq: (this.#seq += 1),
      upSeq: (this.#seq += 1),
    };
    if ((await this.#robot.session.waits.answer(touch, this.#seq)) !== 'settled') return;
    this.answered.push({ number, touch });
    assert.ok(litSince !== null, 'it answered in the dark');
    assert.ok(touch.downMs - litSince >= countsAfterMs, `it answered ${touch.downMs - litSince} ms after the screen was lit`);
  }

  #do({ name, args }: WrittenCommand): void {
    if (name === 'screen.show') this.#question = args['id'] as string;
    if (name === 'screen.clear') this.#question = null;
    if (name !== 'robot') return;
    const { on = this.#on, pct = this.#pct } = args['args'] as Partial<{ on: boolean; pct: number }>;
    this.#on = on;
    this.#pct = pct;
    const isReadable = on && pct >= readableFromPct;
    this.litSince = isReadable ? (this.litSince ?? clockMs) : null;
  }

  #arm(number: number, armed: Armed): Armed | null {
    if (this.#open?.record.number !== number) return null;
    this.#open.armed ??= armed;
    return this.#open.armed;
  }

  #settle(number: number): SettleResult {
    if (this.#open?.record.number !== number) return { settled: false, why: 'late', outcome: null };
    this.#open = null;
    return { settled: true };
  }
}

describe('touches of a screen that programs darken', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => clockMs);
  });
  afterEach(() => mock.reset());

  const happening = fc.oneof(
    { weight: 2, arbitrary: fc.record({ on: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ pct: fc.constantFrom(0, 9, 10, 30, 100) }) },
    { weight: 4, arbitrary: fc.record({ ask: fc.constantFrom('ask', 'ask', 'clickmap') }) },
    { weight: 1, arbitrary: fc.record({ end: fc.constant(true) }) },
    { weight: 10, arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 5 }), refuses: fc.constantFrom(false, false, false, true) }) },
    { weight: 6, arbitrary: fc.record({ passMs: fc.constantFrom(1, 100, 349, 350, 1000, 3000) }) },
    { weight: 6, arbitrary: fc.record({ touch: fc.constant(true) }) },
    { weight: 1, arbitrary: fc.record({ did: fc.integer({ min: 0, max: 4 }) }) },
  );

  it('answer only once it was lit for 350 ms, in any order of commands, questions, refusals, touches and take-overs', async () => {
    let answers = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 20, maxLength: 80, size: 'max' }), async (happenings) => {
        clockMs = 1000;
        const desk = new Desk();
        for (const happened of happenings) {
          if ('on' in happened) desk.program('screen', happened);
          else if ('pct' in happened) desk.program('brightness', happened);
          else if ('ask' in happened) desk.ask(happened.ask as 'ask');
          else if ('end' in happened) desk.end();
          else if ('steps' in happened) for (let i = 0; i < happened.steps; i += 1) desk.step(happened.refuses && i === 0);
          else if ('passMs' in happened) {
            clockMs += happened.passMs;
            mock.timers.tick(happened.passMs);
          } else if ('touch' in happened) await desk.touch();
          else desk.connect(happened.did);
          await settled();
        }
        answers += desk.answered.length;
      }),
      { numRuns: 500 },
    );
    assert.ok(answers > 100, `${answers} answers`);
  });
});
