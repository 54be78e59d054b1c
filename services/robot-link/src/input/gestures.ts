/** In the robot's own time. Feeding unacked inputs again yields the same, for a take-over. */
import type { EventName, Input, UnreadableInput } from '@perch/schema';
import { HeadTouches, type HeadEvent } from './head-touch.js';
import { motionOf } from './motion.js';
import { type PressStart, ScreenTouches, type ScreenTouch } from './screen-touch.js';
import { Remotes } from './remote.js';
import { canonicalUid, tagData } from './tag.js';
import { thresholds } from './thresholds.js';

export { touchEvent, type ScreenTouch } from './screen-touch.js';

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
  #last: Input | null = null;
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

  /** Time until `settle` is due, by the robot's clock, ms; null if nothing is pending. */
  get pendingMs(): number | null {
    const endsMs = this.#head.endsMs;
    return endsMs === null || this.#last === null ? null : Math.max(0, endsMs - (this.#last.ms ?? endsMs));
  }

  /**
   * An input that was fed before yields nothing. Results come in the order of the inputs that completed them; a touch of the head is known to have ended
   * when it was not continued for a while. @param headMoving whether a movement of the robot itself shook it during this input
   */
  feed(input: Input, headMoving: boolean): GestureOutput[] {
    if (input.seq <= this.#fed) return [];
    const isGap = this.#fed > 0 && input.seq > this.#fed + 1;
    this.#fed = input.seq;
    this.#last = input;
    const outputs: GestureOutput[] = [];
    const { endsMs } = this.#head;
    // Missing inputs may have continued the touch or not: what is known of it counts.
    if (endsMs !== null && (isGap || (input.ms !== null && input.ms > endsMs))) outputs.push(...this.#settled());
    if (isGap) this.#gap();
    const read = this.#read(input, headMoving) ?? [];
    const own = Array.isArray(read) ? read : [read];
    if (own.length > 0 && !input.kind.startsWith('head_')) outputs.push(...this.#settled());
    outputs.push(...own);
    this.#noteAckable(input);
    return outputs;
  }

  /** Ends a touch of the head that no input has continued for `pendingMs`. */
  settle(): GestureOutput[] {
    const outputs = this.#settled();
    if (this.#last !== null) this.#noteAckable(this.#last);
    return outputs;
  }

  /** Results come in order: whatever may have ended has ended before another input yields something. */
  #settled(): GestureOutput[] {
    const ended = this.#head.endsMs === null ? this.#head.split() : this.#head.settle();
    return ended === null ? [] : [headEvent(ended)];
  }

  #noteAckable(last: Input): void {
    const safe = Math.min(this.#heldBefore(this.#screen.unfinished, last), this.#heldBefore(this.#head.unfinished, last));
    this.#ackable = Math.max(this.#ackable, safe);
  }

  #read(input: Input, headMoving: boolean): GestureOutput | GestureOutput[] | null {
    switch (input.kind) {
      case 'touch_down':
        this.#screen.down(input);
        return null;
      case 'touch_up':
        return this.#screen.up(input);
      case 'head_down': {
        const before = this.#head.down(input);
        return before && headEvent(before);
      }
      case 'head_up':
        this.#head.up(input);
        return null;
      case 'head_swipe':
        return this.#head.swipe(input).map(headEvent);
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
        return event(input, 'tag_removed', { uid: canonicalUid(input.uid) });
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
        return this.#giveUp(input.of);
      case 'unknown':
        return null;
    }
  }

  /** Drops the gesture that an unreadable input began, continued or ended: it cannot be completed, and must not hold acks back. */
  #giveUp(kind: UnreadableInput['of']): GestureOutput | null {
    if (kind.startsWith('touch_')) this.#screen.giveUp();
    else if (kind === 'prox') this.#proximity.gap();
    else if (kind.startsWith('head_')) {
      const ended = this.#head.settle();
      return ended && headEvent(ended);
    }
    return null;
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

function headEvent(ended: HeadEvent): GestureOutput {
  return { kind: 'event', ...ended };
}

function event(input: Input, name: EventName, data: Record<string, unknown> = {}): GestureOutput {
  return { kind: 'event', name, data, seq: input.seq };
}

/** The robot sends samples only while the value changes and for 1 s after, within which an instance that takes over catches up. */
const { near, away } = thresholds.proximity;

export class Proximity {
  #near: boolean | null;
  /** Time from which the samples differ from the known state; the robot's clock. */
  #since: number | null = null;
  #says: boolean | null = null;

  constructor(stored: boolean | null) {
    this.#near = stored;
  }

  get near(): boolean | null {
    return this.#near;
  }

  /** @returns the change that this sample completes; there is no `away` if the state was unknown */
  feed(raw: number, ms: number): 'near' | 'away' | null {
    const says = raw >= near.from ? true : raw < away.under ? false : null;
    if (says !== this.#says || this.#since === null || ms < this.#since) {
      this.#says = says;
      this.#since = ms;
    }
    if (says === null || says === this.#near || ms - this.#since < (says ? near.forMs : away.forMs)) return null;
    const known = this.#near !== null;
    this.#near = says;
    if (says) return 'near';
    return known ? 'away' : null;
  }

  gap(): void {
    this.#since = null;
  }
}
