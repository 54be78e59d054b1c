/**
 * Decides whether a touch answers a wait: all that the person decides on had been on the screen, unchanged, for long enough before the touch began. Knows
 * only what it is told; all times are by the robot's clock, ms.
 */
import { limits, type Armed, type WaitRecord } from '@perch/schema';
import type { ScreenTouch } from '../input/screen-touch.js';
import type { PagesSeen } from './pages-seen.js';

const { afterMs, afterLongMs, heldMax } = limits.answer;

/** early: it would have answered, but began too soon. no_touch: a finger that answers does not touch like this. */
export type Verdict = 'counts' | 'early' | 'no_touch';

type Press = Pick<ScreenTouch, 'outside' | 'downMs' | 'heldMs'>;

export interface ConsentOptions {
  record: Pick<WaitRecord, 'consent'>;
  armed: Pick<Armed, 'ms' | 'countsAfterMs'>;
  /** Since when the screen has shown what the person decides on. Null: not known; nothing counts before `shown`. */
  since: number | null;
  heldMinMs: number;
  /** Null: any page counts, or there is only one. */
  pages?: PagesSeen | null;
}

export class Consent {
  readonly #countsAfterMs: number;
  readonly #deny: number | null;
  readonly #heldMinMs: number;
  readonly #armedMs: number | null;
  readonly #pages: PagesSeen | null;
  #since: number | null;
  #isDark = false;

  constructor({ record, armed, since, heldMinMs, pages = null }: ConsentOptions) {
    const { approval = false, deny = null } = record.consent ?? {};
    this.#countsAfterMs = Math.max(armed.countsAfterMs ?? afterMs, approval ? afterLongMs : afterMs);
    this.#deny = deny;
    this.#heldMinMs = heldMinMs;
    this.#armedMs = armed.ms;
    this.#since = since;
    this.#pages = pages;
  }

  /** The picture came on the screen, or changed: the time starts, or starts again. */
  shown(ms: number): void {
    if (this.#since === null || ms > this.#since) this.#since = ms;
  }

  /** The screen cannot be read: nothing counts before `lit`. */
  dark(): void {
    this.#isDark = true;
  }

  lit(ms: number): void {
    this.#isDark = false;
    this.#pages?.lit(ms);
    this.shown(ms);
  }

  /** @param index of the target on which the touch lies */
  judge(touch: Press, index: number): Verdict {
    const { downMs } = touch;
    if (!this.#isFinger(touch)) return 'no_touch';
    // The picture under a clickmap may have been there for long before it opened.
    if (this.#isDark || this.#since === null || (this.#armedMs !== null && downMs <= this.#armedMs)) return 'early';
    if (index === this.#deny) return downMs - this.#since >= afterMs ? 'counts' : 'early';
    if (this.#pages?.allSeenBy(downMs) === false) return 'early';
    return downMs - this.#since >= this.#countsAfterMs ? 'counts' : 'early';
  }

  /** Returns whether a touch beside the targets turns the page of a question that must be read whole. */
  turnsPage(touch: Press): boolean {
    return !this.#isDark && this.#pages?.shownSeenBy(touch.downMs) === true && this.#isFinger(touch);
  }

  #isFinger({ outside, heldMs }: Press): boolean {
    return heldMs >= this.#heldMinMs && heldMs <= heldMax && outside !== true;
  }
}
