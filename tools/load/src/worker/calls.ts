/** Plans a program's next call: its path, its body, and the mark that identifies its command at the robot. */
import { markOf, type Random } from '@perch/chaos';
import { callKinds, type CallKind, type Mix } from '../mix.js';

export interface PlannedCall {
  kind: CallKind;
  /** Path below `/v1/robots/{robot}`. */
  path: string;
  /** JSON of a POST; undefined: GET. */
  body?: string;
  /** null: the command cannot be told from others. */
  mark: string | null;
}

/** State that decides which calls a robot accepts: a card would hide the bubble of `say`, and only one question can be open. */
export interface CalledRobot {
  robot: string;
  shows: boolean;
  asking: boolean;
  calls: number;
}

const emotions = ['neutral', 'happy', 'sad', 'doubt', 'sleepy'];
const chimes = ['hello', 'done', 'chirp', 'yes', 'no', 'tada'];
const askS = 20;
const oldCards = 8;

export class CallPlanner {
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #total: number;

  constructor(mix: Mix, random: Random) {
    this.#mix = mix;
    this.#random = random;
    this.#total = callKinds.reduce((sum, kind) => sum + mix.calls[kind], 0);
  }

  kind(): CallKind {
    let drawn = this.#random.next() * this.#total;
    return callKinds.find((kind) => (drawn -= this.#mix.calls[kind]) < 0) ?? 'leds';
  }

  fits(kind: CallKind, { shows, asking }: CalledRobot): boolean {
    if (kind === 'say') return !shows;
    return kind === 'show' || kind === 'ask' ? shows && !asking : true;
  }

  plan(kind: CallKind, called: CalledRobot): PlannedCall {
    const n = ++called.calls;
    if (kind === 'state') return { kind, path: '', mark: null };
    const { args, command } = this.#argsOf(kind, n);
    return { kind, path: `/${kind}`, body: JSON.stringify(args), mark: command === null ? null : markOf(command, args) };
  }

  #argsOf(kind: Exclude<CallKind, 'state'>, n: number): { args: Record<string, unknown>; command: string | null } {
    const random = this.#random;
    switch (kind) {
      case 'leds':
        return { args: { effect: 'blink', color: 'white', seconds: 1 + n / 1000 }, command: 'leds.effect' };
      case 'move':
        return { args: { yaw: Math.round(-12_000 + (n % 24_000)) / 100 }, command: 'head.move' };
      case 'say':
        return { args: { text: `Call ${n}`, seconds: 0.5 }, command: 'bubble' };
      case 'command':
        return { args: { command: 'ir_send', args: { address: 1 + (n % 65_000), command: Math.floor(n / 65_000) % 256 } }, command: 'robot' };
      case 'face':
        return { args: { emotion: random.pick(emotions) }, command: null };
      case 'sound':
        return { args: { chime: random.pick(chimes), volume: 20 }, command: null };
      case 'show':
        return {
          args: { title: 'Load', text: random.chance(this.#mix.new_card_share) ? `Card ${random.int(0, 1e9)}` : `Card ${n % oldCards}` },
          command: null,
        };
      case 'ask':
        return { args: { question: `Question ${n % oldCards}?`, answers: ['Yes', 'No'], timeout_s: askS }, command: null };
    }
  }
}
