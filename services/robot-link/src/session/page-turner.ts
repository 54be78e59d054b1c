/**
 * Turns the pages of one layer until another command for it is queued or the session ends. A page is queued only while the one before it shows, and
 * taken back if a command is queued before it was written, so that it never covers a newer picture. Each turn renews the picture in Redis. A question
 * for an approval shows grey pages once, the last of them again with answers that count, and then turns its pages in a circle, as all others do. Until
 * such answers have shown it retries without end: the question could not be answered otherwise.
 */
import { limits, type CardPage, type ScreenState, type WaitRecord } from '@perch/schema';
import { readPageId, waitOfPicture } from '@perch/store';
import type { QuestionPages } from '../input/consent.js';
import { noteFailure } from '../metrics/link-metrics.js';
import type { Command, CommandOutcome, Commands } from './commands.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';

const showWithinMs = 5_000;
/** Lifetime of a page after it was shown, beyond the time until it is shown again, ms. */
const renewBeyondMs = 60_000;
const failuresMax = 3;
/** How much longer than its wait a question stays if no command removes it, ms. */
export const showGraceMs = 2000;
const { afterLongMs } = limits.answer;

type Layer = 'card' | 'question';

/** Shared by the turners of a robot. */
export interface PageTurnerOptions {
  readonly lease: Lease;
  readonly context: LinkContext;
  readonly commands: Commands;
  /** Ids of the pictures that the robot confirmed last. */
  readonly showing: Readonly<Pick<ScreenState, Layer>>;
  /** Called if the picture of a page has expired before the answers of its question counted. */
  missing(hash: string): void;
}

interface PageRound {
  /** Show once, before `pages`; mostly none. */
  grey: readonly CardPage[];
  pages: readonly CardPage[];
  /** Index of the shown page in `grey` and `pages` together, and of the next one. */
  at: number;
  next: number;
  /** Redis time, ms, at which the robot takes the picture away itself; null: it does not. */
  until: number | null;
  /** Each page has shown; with grey ones, and answers that count after them. */
  isSeen: boolean;
  failures: number;
  pending: Command | null;
  timer: NodeJS.Timeout | null;
}

const none: readonly CardPage[] = [];

export class PageTurner {
  readonly #layer: Layer;
  readonly #options: PageTurnerOptions;
  #turning: PageRound | null = null;
  /** Pages that stopped turning before the last of them had shown. */
  #unseen = none;
  /** The last command for the layer that was queued in this session, other than pages. */
  #newest: Command | null = null;

  constructor(layer: Layer, options: PageTurnerOptions) {
    this.#layer = layer;
    this.#options = options;
  }

  /** Returns whether the pages of this wait stopped turning, because of failures, before each had shown. */
  leftUnseen(wait: number): boolean {
    return this.#unseen.some(({ id }) => waitOfPicture(id) === wait);
  }

  /** The pages that turn, in the order in which they follow the first one, which is the last. */
  get pages(): readonly CardPage[] | null {
    return this.#turning?.pages ?? null;
  }

  queued(command: Command): void {
    if (command.args['layer'] !== this.#layer || command === this.#turning?.pending) return;
    this.#newest = command;
    this.stop();
  }

  acked(command: Command): void {
    const { args, pages = [], greyPages = [] } = command;
    if (command !== this.#newest || pages.length + greyPages.length < 2) return;
    const { show_ms: showMs } = args as { show_ms?: number };
    this.#schedule(this.#start(pages, greyPages, greyPages.length > 0 ? 0 : pages.length - 1, showMs ?? null));
  }

  /**
   * Goes on with pages that another session turned, unless a command for the layer was queued since. A page of an approval is shown again: the ack says
   * since when at the latest it is on the screen. @param showMs time until the robot takes the picture away
   */
  resume({ pages = [], greyPages = [] }: QuestionPages, shown: string, showMs: number | null = null): void {
    const at = [...greyPages, ...pages].findLastIndex(({ id }) => id === shown);
    if (this.#newest !== null || at === -1) return;
    const turning = this.#start(pages, greyPages, at, showMs);
    if (greyPages.length === 0) this.#schedule(turning);
    else void this.#turn(turning, at);
  }

  /** Begins with the grey pages again, if there are any: nobody saw what showed on a dark screen. */
  restart(): void {
    const former = this.#turning;
    if (former === null || former.grey.length === 0) return;
    this.stop();
    const turning: PageRound = { ...former, isSeen: false, failures: 0, pending: null, timer: null };
    this.#turning = turning;
    void this.#turn(turning, 0);
  }

  /** Shows the next page now, unless one is on its way. */
  turnNow(): void {
    const turning = this.#turning;
    if (turning === null || turning.timer === null) return;
    clearTimeout(turning.timer);
    void this.#turn(turning, turning.next);
  }

  stop(): void {
    const turning = this.#turning;
    this.#turning = null;
    if (turning === null) return;
    if (turning.timer !== null) clearTimeout(turning.timer);
    if (turning.pending !== null) this.#options.commands.remove(turning.pending);
  }

  #start(pages: readonly CardPage[], grey: readonly CardPage[], at: number, showMs: number | null): PageRound {
    this.stop();
    const until = showMs === null ? null : this.#options.lease.now() + showMs;
    this.#unseen = none;
    const turning: PageRound = { grey, pages, at, next: at, until, isSeen: false, failures: 0, pending: null, timer: null };
    this.#turning = turning;
    if (grey.length === 0) noteSeen(turning);
    // The state that Redis keeps names the pages of the card; a question's are kept with its wait.
    if (this.#layer === 'card') this.#options.lease.save();
    return turning;
  }

  #schedule(turning: PageRound): void {
    turning.next = nextOf(turning);
    // A single page stays.
    if (turning.next !== turning.at) this.#turnLater(turning);
  }

  #turnLater(turning: PageRound): void {
    const { grey, at, next } = turning;
    const afterMs = at === grey.length - 1 ? afterLongMs : pageAt(turning, next).afterMs;
    turning.timer = setTimeout(() => void this.#turn(turning, next), afterMs || afterLongMs);
  }

  async #turn(turning: PageRound, at: number): Promise<void> {
    turning.timer = null;
    turning.next = at;
    const layer = this.#layer;
    const { lease, context, commands, showing } = this.#options;
    const { id, picture } = pageAt(turning, at);
    const cycleMs = turning.pages.reduce((sum, { afterMs }) => sum + afterMs, 0);
    try {
      const found = await context.store.media.find(lease.account, picture.hash, cycleMs + renewBeyondMs);
      if (this.#turning !== turning) return;
      if (found === null) return this.#missing(turning, picture.hash);
      // The robot took the page away itself.
      if (![...turning.grey, ...turning.pages].some((page) => page.id === showing[layer])) return this.#giveUp(turning);
    } catch (error) {
      noteFailure(context, 'card', error);
      return this.#failed(turning);
    }
    const now = lease.now();
    const showMs = turning.until === null ? {} : { show_ms: Math.max(1, Math.round(turning.until - now)) };
    turning.pending = {
      name: 'screen.show',
      args: { layer, id, ...showMs },
      attachments: [{ path: [], picture }],
      expires: now + showWithinMs,
      done: (outcome) => this.#onShown(turning, at, outcome),
    };
    if (!commands.push(turning.pending)) this.#failed(turning);
  }

  #onShown(turning: PageRound, at: number, outcome: CommandOutcome): void {
    turning.pending = null;
    if (this.#turning !== turning) return;
    if (outcome.kind === 'unsent') return this.#giveUp(turning);
    if (outcome.kind === 'media_missing') return this.#missing(turning, outcome.hash);
    if (outcome.kind !== 'ack') return this.#failed(turning);
    turning.at = at;
    turning.failures = 0;
    noteSeen(turning);
    if (turning.isSeen) this.#unseen = none;
    this.#schedule(turning);
  }

  #failed(turning: PageRound): void {
    if (this.#turning !== turning) return;
    turning.pending = null;
    turning.failures += 1;
    if (turning.failures >= failuresMax) {
      if (turning.grey.length === 0 || turning.isSeen) return this.#giveUp(turning);
      this.#unseen = turning.pages;
    }
    this.#turnLater(turning);
  }

  /** It has expired with Redis' memory. */
  #missing(turning: PageRound, hash: string): void {
    const isNeeded = turning.grey.length > 0 && !turning.isSeen;
    this.#giveUp(turning);
    if (isNeeded) this.#options.missing(hash);
  }

  #giveUp(turning: PageRound): void {
    if (!turning.isSeen) this.#unseen = turning.pages;
    this.stop();
  }
}

function pageAt({ grey, pages }: PageRound, at: number): CardPage {
  return (at < grey.length ? grey[at] : pages[at - grey.length])!;
}

function nextOf({ grey, pages, at }: PageRound): number {
  if (at < grey.length - 1) return at + 1;
  // The same page, with answers that count: number k of the text is the page before number k + 1 in the circle.
  if (at === grey.length - 1) return grey.length + ((at + pages.length - 1) % pages.length);
  return grey.length + ((at - grey.length + 1) % pages.length);
}

function noteSeen(turning: PageRound): void {
  const { grey, pages, at } = turning;
  if (grey.length > 0 ? at >= grey.length : at === pages.length - 2) turning.isSeen = true;
}

type Paged = Pick<WaitRecord, 'number' | 'picture' | 'pages' | 'greyPages'>;

/** Returns the pages of a question with the ids under which this service shows them. */
export function turningPages({ number, picture, pages, greyPages }: Paged): QuestionPages {
  if (greyPages === undefined || picture === null) return pages === undefined ? {} : { pages };
  const live = pages ?? [{ picture, afterMs: 0 }];
  return { greyPages, pages: live.map((page, i) => ({ ...page, id: readPageId(number, ((i + 1) % live.length) + 1) })) };
}

/** Returns whether the question shows several pictures, one after the other. */
export function hasPages({ pages, greyPages }: Paged): boolean {
  return pages !== undefined || greyPages !== undefined;
}
