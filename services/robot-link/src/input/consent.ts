/**
 * Decides whether a touch answers a wait: it lies on a target, and all that the person decides on had been on the screen, unchanged, for long enough
 * before the touch began. Knows only what it is told; all times are by the robot's clock, ms.
 */
import { limits, type Armed, type CardPage, type Target, type WaitRecord } from '@perch/schema';
import { hitTest } from '@perch/screen';
import { isLong, type ScreenTouch } from './screen-touch.js';

const { afterMs, afterLongMs, heldMax } = limits.answer;

/** early: it would have answered, but began too soon. no_touch: a finger that answers does not touch like this. */
export type Verdict = 'counts' | 'early' | 'no_touch';

type Press = Pick<ScreenTouch, 'outside' | 'downMs' | 'heldMs'>;

interface ConsentOptions {
  record: Pick<WaitRecord, 'consent'>;
  armed: Pick<Armed, 'ms' | 'countsAfterMs'>;
  /** Since when the screen has shown what the person decides on. Null: not known; nothing counts before `shown`. */
  since: number | null;
  heldMinMs: number;
  /** Null: any page counts, or there is only one. */
  pages?: PageViews | null;
}

export class Consent {
  readonly #countsAfterMs: number;
  readonly #deny: number | null;
  readonly #heldMinMs: number;
  readonly #armedMs: number | null;
  readonly #pages: PageViews | null;
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

/** Maximum distance from its target at which a touch may end, px: a finger rolls as it lifts. */
const slipPx = 12;
const tolerance = 1e-6;

/** Null: the touch lies on no target. One that does begins inside the target, ends within 12 px; for a clickmap it is a tap. `Consent` knows whether it counts. */
export function match(record: Pick<WaitRecord, 'kind' | 'targets'>, touch: ScreenTouch): { index: number; x: number; y: number } | null {
  if (record.kind === 'clickmap' && isLong(touch)) return null;
  const { x, y } = touch;
  const index = hitTest(record.targets, x, y);
  const target = record.targets[index];
  if (target === undefined || distance(target, touch.endX, touch.endY) > slipPx + tolerance) return null;
  return { index, x, y };
}

/** Returns the distance from the point to the nearest point of the target, px; 0 inside. */
function distance(target: Target, x: number, y: number): number {
  switch (target.shape) {
    case 'rect':
      return Math.hypot(outside(x, target.x, target.x + target.w), outside(y, target.y, target.y + target.h));
    case 'circle':
      return Math.max(0, Math.hypot(x - target.x, y - target.y) - target.r);
    case 'polygon':
      return hitTest([target], x, y) === 0 ? 0 : distanceToOutline(target.points, x, y);
  }
}

function outside(value: number, from: number, to: number): number {
  return Math.max(from - value, 0, value - to);
}

function distanceToOutline(points: readonly [number, number][], x: number, y: number): number {
  let nearest = Infinity;
  let [ax, ay] = points.at(-1) ?? [NaN, NaN];
  for (const [bx, by] of points) {
    const dx = bx - ax;
    const dy = by - ay;
    const square = dx * dx + dy * dy;
    const along = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
    nearest = Math.min(nearest, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    [ax, ay] = [bx, by];
  }
  return nearest;
}

/** Pages of a question; grey ones show with answers that do not count. */
export interface QuestionPages {
  readonly greyPages?: readonly CardPage[];
  readonly pages?: readonly CardPage[];
}

/**
 * The pages of an approval that show with grey answers first: since when a person has had each before them for long enough, and since when the answers are
 * drawn as ones that count.
 */
export class PageViews {
  /** Numbers of pages, from 0, by the ids of their pictures: a grey one in the first round, another one later. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #grey: ReadonlySet<string>;
  /** By the numbers of those that show with grey answers first. */
  readonly #seenAt: number[];
  #shown = -1;
  #since = 0;
  #liveAt = Infinity;

  /** @param onScreen id of the picture that the robot showed when it was taken over: it has shown the grey pages before */
  constructor({ greyPages = [], pages = [] }: QuestionPages, onScreen: string | null = null) {
    this.#numbers = new Map([...greyPages.map(({ id }, i) => [id, i] as const), ...pages.map(({ id }, i) => [id, (i + 1) % pages.length] as const)]);
    this.#grey = new Set(greyPages.map(({ id }) => id));
    const isLive = pages.some(({ id }) => id === onScreen);
    const at = greyPages.findIndex(({ id }) => id === onScreen);
    this.#seenAt = greyPages.map((_, i) => (isLive || i < at ? -Infinity : Infinity));
  }

  /** Call it for each picture of the question that the robot acknowledges. */
  shown(id: string, ms: number): void {
    const number = this.#numbers.get(id);
    if (number === undefined) return;
    this.#liveAt = this.#grey.has(id) ? Infinity : Math.min(this.#liveAt, ms);
    // The same page with answers of another colour.
    if (number === this.#shown) return;
    this.#noteSeen(ms);
    this.#shown = number;
    this.#since = ms;
  }

  /** The screen was dark until now: what it showed has not been seen. */
  lit(ms: number): void {
    for (const [i, seenAt] of this.#seenAt.entries()) if (seenAt <= ms) this.#seenAt[i] = Infinity;
    this.#since = Math.max(this.#since, ms);
  }

  /** Returns whether the page that shows had been on the screen for long enough when a touch began. */
  shownSeenBy(ms: number): boolean {
    return this.#shown !== -1 && ms - this.#since >= afterLongMs;
  }

  /** Returns whether each page had been seen, and then the answers in the colours of ones that count, when a touch began. */
  allSeenBy(ms: number): boolean {
    this.#noteSeen(ms);
    return ms > this.#liveAt && this.#seenAt.every((seenAt) => seenAt <= ms);
  }

  #noteSeen(ms: number): void {
    if (!this.shownSeenBy(ms) || this.#shown >= this.#seenAt.length) return;
    this.#seenAt[this.#shown] = Math.min(this.#seenAt[this.#shown]!, this.#since + afterLongMs);
  }
}
