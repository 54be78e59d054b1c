import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { SavedLight } from '@perch/store';
import fc from 'fast-check';
import type { Command, CommandOutcome } from '../src/session/commands.js';
import { ScreenLight } from '../src/session/light.js';

const declared = [
  { name: 'screen', class: 'program', args: { type: 'object', properties: { on: { type: 'boolean' } } } },
  { name: 'brightness', class: 'program', args: { type: 'object', properties: { pct: { type: 'integer' } } } },
];

/** A robot that does what it is told, in order, when the test lets it; and what its sessions have stored. */
class Desk {
  on = true;
  pct = 80;
  ms = 0;
  saved: SavedLight | null = null;
  light!: ScreenLight;
  readonly queue: Pick<Command, 'args' | 'done'>[] = [];
  /** Each command that it has done. */
  readonly done: string[] = [];
  readonly #options: { bootId: string; lightsQuestions: boolean; declared: typeof declared };

  constructor(options: Partial<{ bootId: string; lightsQuestions: boolean; declared: typeof declared }> = {}) {
    this.#options = { bootId: 'b1', lightsQuestions: false, declared, ...options };
    this.connect();
  }

  /** Another session takes over, of the same boot by default. */
  connect(bootId = this.#options.bootId): void {
    this.light?.stop();
    for (const { done } of this.queue.splice(0)) done({ kind: 'unsent' });
    this.#options.bootId = bootId;
    const lease = { bootId, now: () => 0, save: () => this.#save() };
    const commands = { push: (command: Command) => this.queue.push(command) > 0 };
    const { lightsQuestions, declared: known } = this.#options;
    const hello = { commands: known, features: lightsQuestions ? ['lights_questions' as const] : [] };
    this.light = new ScreenLight(lease as never, commands as never, hello, this.saved);
    this.light.start();
  }

  get readable(): boolean {
    return this.on && this.pct >= 10;
  }

  program(command: 'screen' | 'brightness', args: { on: boolean } | { pct: number }): void {
    const noted = this.light.command({ name: 'robot', args: { command, args } });
    if (noted !== 'later') this.queue.push({ args: { command, args }, done: (outcome) => noted?.(outcome) });
  }

  /** Does the first of what it was told, or fails at it. */
  step(how: 'done' | 'refused' | 'lost_before' | 'lost_after' = 'done'): void {
    const command = this.queue.shift();
    if (command === undefined) return;
    const args = command.args['args'] as Partial<{ on: boolean; pct: number }>;
    if (how === 'done' || how === 'lost_after') {
      Object.assign(this, args);
      this.done.push(JSON.stringify(args));
    }
    const end = { refused: 'nack', lost_before: 'no_ack', lost_after: 'no_ack' } as const;
    const outcome: CommandOutcome =
      how === 'done' ? { kind: 'ack', ms: this.ms, result: {} } : { kind: 'nack', code: 'hardware' as never, error: '', end: end[how] };
    command.done(outcome);
  }

  all(): void {
    while (this.queue.length > 0) this.step();
  }

  #save(): void {
    this.saved = structuredClone(this.light.saved);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the light of a robot that does not light its questions', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('sends nothing for a screen about which nothing is known, or that can be read', () => {
    const desk = new Desk();
    assert.equal(desk.light.begin(true), null);
    desk.light.end();
    for (const pct of [10, 45, 100]) {
      desk.program('brightness', { pct });
      desk.all();
      assert.equal(desk.light.begin(true), null);
      desk.light.end();
      mock.timers.tick(5000);
      assert.deepEqual([desk.queue.length, desk.pct], [0, pct]);
    }
  });

  it('lights a screen that a program switched off, first the brightness, and gives both back 2 s after the question', async () => {
    for (const [pct, lit] of [
      [null, 30],
      [80, 30],
      [20, 20],
      [5, 30],
    ] as const) {
      const desk = new Desk();
      if (pct !== null) desk.program('brightness', { pct });
      desk.program('screen', { on: false });
      desk.all();
      desk.done.length = 0;
      desk.ms = 700;
      const lighting = desk.light.begin(true);
      desk.all();
      assert.equal(await lighting, 700, 'the clock of the robot when it was lit');
      assert.deepEqual(desk.done, lit === pct ? ['{"on":true}'] : [`{"pct":${lit}}`, '{"on":true}']);
      desk.light.end();
      mock.timers.tick(1999);
      assert.equal(desk.queue.length, 0);
      mock.timers.tick(1);
      desk.all();
      assert.deepEqual([desk.on, desk.pct], [false, pct ?? 80]);
    }
  });

  it('stays lit between the questions of a sequence', async () => {
    const desk = new Desk();
    desk.program('brightness', { pct: 0 });
    desk.all();
    for (let i = 0; i < 5; i += 1) {
      const lighting = desk.light.begin(true);
      assert.equal(lighting === null, i > 0);
      desk.all();
      await lighting;
      desk.light.end();
      mock.timers.tick(1500);
    }
    assert.deepEqual(desk.done, ['{"pct":0}', '{"pct":30}']);
  });

  it('answers a command that would make the screen of an open question unreadable, and sends it after the question', () => {
    const desk = new Desk();
    assert.equal(desk.light.begin(true), null);
    desk.program('screen', { on: false });
    desk.program('brightness', { pct: 50 });
    desk.program('brightness', { pct: 9 });
    desk.all();
    assert.deepEqual([desk.on, desk.pct], [true, 50]);
    desk.light.end();
    mock.timers.tick(2000);
    desk.all();
    assert.deepEqual([desk.on, desk.pct], [false, 9]);
  });

  it('takes a screen for dark that may be: by a command without an ack, but not by one that was refused', () => {
    for (const how of ['lost_before', 'lost_after', 'refused'] as const) {
      const desk = new Desk();
      desk.program('screen', { on: false });
      desk.step(how);
      assert.equal(desk.light.begin(true) === null, how === 'refused', how);
    }
  });

  it('is not lit as long as the robot has not acked it, nor if it refuses', async () => {
    const desk = new Desk();
    desk.program('screen', { on: false });
    desk.all();
    const lighting = desk.light.begin(true);
    desk.step();
    desk.step('refused');
    assert.equal(await lighting, null);
  });

  it('goes on in another session of the same boot, and knows nothing after a restart of the robot', () => {
    const desk = new Desk();
    desk.program('screen', { on: false });
    desk.all();
    void desk.light.begin(true);
    desk.all();
    desk.connect();
    mock.timers.tick(2000);
    desk.all();
    assert.deepEqual([desk.on, desk.pct], [false, 80], 'no question is open any more');
    desk.connect('b2');
    assert.equal(desk.light.begin(true), null);
  });

  it('lights clickmaps alone for a robot that lights its questions itself, and leaves its commands to it', () => {
    const desk = new Desk({ lightsQuestions: true });
    desk.program('screen', { on: false });
    desk.all();
    assert.equal(desk.light.begin(true), null);
    desk.program('brightness', { pct: 3 });
    desk.all();
    assert.equal(desk.pct, 3);
    desk.light.end();
    assert.notEqual(desk.light.begin(false), null);
  });

  it('does not take a screen for lit that a command lights which the robot does not declare', async () => {
    const desk = new Desk({ declared: declared.filter(({ name }) => name !== 'screen') });
    desk.program('screen', { on: false });
    desk.all();
    const lighting = desk.light.begin(true);
    desk.all();
    assert.equal(await lighting, null);
  });

  it('is on whenever it is taken for lit, and what programs set last returns, in any order of commands, questions, failures and take-overs', async () => {
    const happening = fc.oneof(
      { weight: 3, arbitrary: fc.record({ on: fc.boolean() }) },
      { weight: 3, arbitrary: fc.record({ pct: fc.constantFrom(0, 1, 9, 10, 25, 30, 31, 100) }) },
      { weight: 4, arbitrary: fc.record({ asked: fc.boolean() }) },
      { weight: 8, arbitrary: fc.record({ step: fc.constantFrom('done', 'done', 'done', 'refused', 'lost_before', 'lost_after') }) },
      { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(500, 2000, 3000) }) },
      { weight: 2, arbitrary: fc.constant({ connect: true } as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 60 }), async (happenings) => {
        const desk = new Desk();
        let asking = false;
        /** By what the wait was told: null until it is lit. */
        let lit: boolean | null = null;
        const begin = (): void => {
          const lighting = desk.light.begin(true);
          lit = lighting === null;
          void lighting?.then((ms) => (lit = ms !== null));
        };
        for (const happened of happenings) {
          if ('on' in happened) desk.program('screen', happened);
          else if ('pct' in happened) desk.program('brightness', happened);
          else if ('step' in happened) desk.step(happened.step as 'done');
          else if ('passMs' in happened) mock.timers.tick(happened.passMs);
          else if ('connect' in happened) {
            desk.connect();
            if (asking) begin();
          } else if (happened.asked) {
            asking = true;
            begin();
          } else if (asking) {
            asking = false;
            desk.light.end();
          }
          await settled();
          // A picture is acked after what was queued before it.
          if (asking && lit === true && desk.queue.length === 0) assert.ok(desk.readable, JSON.stringify({ on: desk.on, pct: desk.pct }));
        }
        desk.all();
        begin();
        desk.all();
        desk.light.end();
        await settled();
        mock.timers.tick(2000);
        desk.all();
        const { saved } = desk;
        if (saved === null) return;
        const { set, sent } = saved;
        assert.deepEqual({ on: set.on ?? sent.on, pct: set.pct ?? sent.pct }, sent);
      }),
      { numRuns: 1000 },
    );
  });
});
