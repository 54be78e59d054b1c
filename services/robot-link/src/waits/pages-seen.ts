/**
 * The pages of an approval that show with grey answers first: since when a person has had each before them for long enough, and since when the answers are
 * drawn as ones that count. Knows only what it is told; times are by the robot's clock, ms.
 */
import { limits } from '@perch/schema';
import type { Command } from '../commands/command.js';

const { afterLongMs } = limits.answer;

export class PagesSeen {
  /** Numbers of pages, from 0, by the ids of their pictures: a grey one in the first round, another one later. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #grey: ReadonlySet<string>;
  /** By the numbers of those that show with grey answers first. */
  readonly #seenAt: number[];
  #shown = -1;
  #since = 0;
  #liveAt = Infinity;

  /** @param onScreen id of the picture that the robot showed when it was taken over: it has shown the grey pages before */
  constructor({ greyPages = [], pages = [] }: Pick<Command, 'greyPages' | 'pages'>, onScreen: string | null = null) {
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
