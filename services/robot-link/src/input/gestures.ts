/**
 * What people do at one robot, from its raw input: a state machine per robot and boot, in the robot's own time. One input completes at most one gesture.
 * Fed again from what was not acked it says the same again, so that another instance can take over in the middle of a touch.
 */
import type { EventName, Input, UnreadableInput } from '@perch/schema';
import { HeadTouches } from './touch/head-touch.js';
import { motionOf } from './motion/motion.js';
import type { Began } from './touch/press.js';
import { Proximity } from './proximity.js';
import { remoteData } from './remote/remote.js';
import { ScreenTouches, type ScreenTouch } from './touch/screen-touch.js';
import { tagData } from './tag/tag.js';

export { touchEvent, type ScreenTouch } from './touch/screen-touch.js';

/** A finished touch, which may answer a wait, or an event. */
export type GestureOutput =
  | ScreenTouch
  | {
      kind: 'event';
      name: EventName;
      data: Record<string, unknown>;
      /** The input that completed it. */
      seq: number;
    };

/** From here on, ms, the power button was pressed long. */
const longButtonFromMs = 1000;

/** How long an unfinished touch holds back the acks of what came after it: the robot keeps only 64 inputs for certain. */
const hold = { inputsMax: 48, msMax: 30_000 };

const nothing: readonly GestureOutput[] = [];

export class Gestures {
  readonly #screen = new ScreenTouches();
  readonly #head = new HeadTouches();
  readonly #proximity: Proximity;
  #usb: boolean | null;
  #fed = 0;
  #ackable = 0;

  /** @param stored what is known of the robot; null is not known */
  constructor(stored: { near: boolean | null; usb: boolean | null } = { near: null, usb: null }) {
    this.#proximity = new Proximity(stored.near);
    this.#usb = stored.usb;
  }

  /** What is known of the robot after what was fed. */
  get marks(): { near: boolean | null; usb: boolean | null } {
    return { near: this.#proximity.near, usb: this.#usb };
  }

  /**
   * The highest input number that is safe to ack as far as gestures go; never goes down.
   * It stays before a touch that has not ended, but not for ever: one that holds back too many inputs or too long loses only its place in the
   * acks (and would be lost to a next instance), not its event.
   */
  get ackable(): number {
    return this.#ackable;
  }

  /**
   * Takes the next input; one that was fed before yields nothing.
   * @param headMoving whether the robot's own movement shakes it
   */
  feed(input: Input, headMoving: boolean): readonly GestureOutput[] {
    if (input.seq <= this.#fed) return nothing;
    if (this.#fed > 0 && input.seq > this.#fed + 1) this.#gap();
    this.#fed = input.seq;
    const output = this.#read(input, headMoving);
    const safe = Math.min(this.#heldBefore(this.#screen.unfinished, input), this.#heldBefore(this.#head.unfinished, input));
    this.#ackable = Math.max(this.#ackable, safe);
    return output === null ? nothing : [output];
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
        const data = remoteData(input);
        return data && event(input, 'remote', data);
      }
      case 'power_key':
        return event(input, 'button', { press: input.press ?? ((input.held_ms ?? 0) < longButtonFromMs ? 'short' : 'long') });
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

  /** Gives up the gesture that an unreadable input began, continued or ended: it cannot be completed, and must not hold acks back. */
  #giveUp(kind: UnreadableInput['of']): void {
    if (kind.startsWith('touch_')) this.#screen.giveUp();
    else if (kind.startsWith('head_')) this.#head.giveUp();
    else if (kind === 'prox') this.#proximity.gap();
  }

  #heldBefore(unfinished: Began | null, last: Input): number {
    if (unfinished === null || last.seq - unfinished.seq >= hold.inputsMax) return last.seq;
    if (last.ms !== null && last.ms - unfinished.ms > hold.msMax) return last.seq;
    return unfinished.seq - 1;
  }

  /** The robot could not keep all: what is missing may have ended or begun something. */
  #gap(): void {
    this.#screen.gap();
    this.#head.gap();
    this.#proximity.gap();
  }
}

function event(input: Input, name: EventName, data: Record<string, unknown> = {}): GestureOutput {
  return { kind: 'event', name, data, seq: input.seq };
}
