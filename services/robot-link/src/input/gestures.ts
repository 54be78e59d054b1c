/** In the robot's own time; an input completes at most one gesture. Feeding unacked inputs again yields the same, for a take-over. */
import type { EventName, Input, UnreadableInput } from '@perch/schema';
import { HeadTouches } from './touch/head-touch.js';
import { motionOf } from './motion/motion.js';
import type { PressStart } from './touch/press.js';
import { Proximity } from './proximity.js';
import { Remotes } from './remote/remotes.js';
import { ScreenTouches, type ScreenTouch } from './touch/screen-touch.js';
import { tagData } from './tag/tag.js';
import { thresholds } from './thresholds.js';

export { touchEvent, type ScreenTouch } from './touch/screen-touch.js';

export type GestureOutput =
  | ScreenTouch
  | {
      kind: 'event';
      name: EventName;
      data: Record<string, unknown>;
      seq: number;
    };

/** Limits up to which an unfinished touch holds back the acks of later inputs: the robot is only required to keep 64. */
const hold = { inputsMax: 48, msMax: 30_000 };

export class Gestures {
  readonly #screen = new ScreenTouches();
  readonly #head = new HeadTouches();
  readonly #remotes = new Remotes();
  readonly #proximity: Proximity;
  #usb: boolean | null;
  #fed = 0;
  #ackable = 0;

  constructor(stored: { near: boolean | null; usb: boolean | null } = { near: null, usb: null }) {
    this.#proximity = new Proximity(stored.near);
    this.#usb = stored.usb;
  }

  get marks(): { near: boolean | null; usb: boolean | null } {
    return { near: this.#proximity.near, usb: this.#usb };
  }

  /**
   * Highest input that is safe to ack; never decreases. Stays below an unfinished touch, up to a limit: a touch that holds back too much is acked
   * early, and its event is lost only if another instance takes over meanwhile.
   */
  get ackable(): number {
    return this.#ackable;
  }

  /** An input that was fed before yields nothing. @param headMoving whether a movement of the robot itself shook it during this input */
  feed(input: Input, headMoving: boolean): GestureOutput | null {
    if (input.seq <= this.#fed) return null;
    if (this.#fed > 0 && input.seq > this.#fed + 1) this.#gap();
    this.#fed = input.seq;
    const output = this.#read(input, headMoving);
    const safe = Math.min(this.#heldBefore(this.#screen.unfinished, input), this.#heldBefore(this.#head.unfinished, input));
    this.#ackable = Math.max(this.#ackable, safe);
    return output;
  }

  #read(input: Input, headMoving: boolean): GestureOutput | null {
    switch (input.kind) {
      case 'touch_down':
        this.#screen.down(input);
        return null;
      case 'touch_up':
        return this.#screen.up(input);
      case 'head_down':
        this.#head.down(input);
        return null;
      case 'head_up': {
        const ended = this.#head.up(input);
        return ended && event(input, ended.name, ended.data);
      }
      case 'head_swipe': {
        const { name, data } = this.#head.swipe(input);
        return event(input, name, data);
      }
      case 'imu_burst': {
        const motion = headMoving ? null : motionOf(input.samples, input.hz);
        return motion && event(input, motion);
      }
      case 'prox': {
        const changed = this.#proximity.feed(input.raw, input.ms);
        return changed && event(input, changed);
      }
      case 'nfc_in':
        return event(input, 'tag', tagData(input));
      case 'nfc_out':
        return event(input, 'tag_removed', { uid: input.uid });
      case 'ir': {
        const data = this.#remotes.feed(input);
        return data && event(input, 'remote', data);
      }
      case 'power_key':
        return event(input, 'button', { press: input.press ?? ((input.held_ms ?? 0) < thresholds.button.longFromMs ? 'short' : 'long') });
      case 'usb':
        if (input.present === this.#usb) return null;
        this.#usb = input.present;
        return event(input, input.present ? 'plugged' : 'unplugged');
      case 'unreadable':
        this.#giveUp(input.of);
        return null;
      case 'unknown':
        return null;
    }
  }

  /** Drops the gesture that an unreadable input began, continued or ended: it cannot be completed, and must not hold acks back. */
  #giveUp(kind: UnreadableInput['of']): void {
    if (kind.startsWith('touch_')) this.#screen.giveUp();
    else if (kind.startsWith('head_')) this.#head.giveUp();
    else if (kind === 'prox') this.#proximity.gap();
  }

  #heldBefore(unfinished: PressStart | null, last: Input): number {
    if (unfinished === null || last.seq - unfinished.seq >= hold.inputsMax) return last.seq;
    if (last.ms !== null && last.ms - unfinished.ms > hold.msMax) return last.seq;
    return unfinished.seq - 1;
  }

  /** Handles missing inputs, which the robot could not keep: they may have ended or begun something. */
  #gap(): void {
    this.#screen.gap();
    this.#head.gap();
    this.#proximity.gap();
  }
}

function event(input: Input, name: EventName, data: Record<string, unknown> = {}): GestureOutput {
  return { kind: 'event', name, data, seq: input.seq };
}
