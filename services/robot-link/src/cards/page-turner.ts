/**
 * Turns the pages of one layer until another command for it is queued or the session ends. A page is queued only while the one before it shows, and
 * taken back if a command is queued before it was written, so that it never covers a newer picture. Each turn renews the picture in Redis.
 */
import type { CardPage, ScreenState } from '@perch/schema';
import type { Command } from '../commands/command.js';
import type { CommandOutcome } from '../commands/command-outcome.js';
import type { CommandQueue } from '../commands/command-queue.js';
import { noteFailure, type LinkContext } from '../session/context.js';

const showWithinMs = 5_000;
/** Lifetime of a page after it was shown, beyond the time until it is shown again, ms. */
const renewBeyondMs = 60_000;
const failuresMax = 3;

type Layer = 'card' | 'question';

/** Shared by the turners of a robot. */
export interface PageTurnerOptions {
  session: { readonly account: string; readonly commands: CommandQueue; now(): number; save(): void };
  context: Pick<LinkContext, 'store' | 'metrics' | 'log'>;
  /** Ids of the pictures that the robot confirmed last. */
  screen: Readonly<Pick<ScreenState, Layer>>;
}

interface Turning {
  pages: readonly CardPage[];
  next: number;
  shown: string;
  /** Redis time, ms, at which the robot takes the picture away itself; null: it does not. */
  until: number | null;
  /** Pages that have shown after the first one. */
  turns: number;
  failures: number;
  pending: Command | null;
  timer: NodeJS.Timeout | null;
}

const none: readonly CardPage[] = [];

export class PageTurner {
  readonly #layer: Layer;
  readonly #options: PageTurnerOptions;
  #turning: Turning | null = null;
  /** Pages that stopped turning before the last of them had shown. */
  #unseen = none;
  /** The last command for the layer that was queued in this session, other than pages. */
  #newest: Command | null = null;

  constructor(layer: Layer, options: PageTurnerOptions) {
    this.#layer = layer;
    this.#options = options;
  }

  /** Returns whether the page with this id belongs to pages that stopped turning, because of failures, before each had shown. */
  leftUnseen(id: string): boolean {
    return this.#unseen.some((page) => page.id === id);
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

  confirmed(command: Command): void {
    const { args, pages = [] } = command;
    if (command !== this.#newest || pages.length < 2) return;
    const { id, show_ms: showMs } = args as { id: string; show_ms?: number };
    this.#start(pages, pages.length - 1, id, showMs ?? null);
  }

  /** Goes on with pages that another session turned, unless a command for the layer was queued since. @param showMs time until the robot takes the picture away */
  resume(pages: readonly CardPage[], shown: string, showMs: number | null = null): void {
    const at = pages.findLastIndex(({ id }) => id === shown);
    if (this.#newest === null && at !== -1) this.#start(pages, at, shown, showMs);
  }

  stop(): void {
    const turning = this.#turning;
    this.#turning = null;
    if (turning === null) return;
    if (turning.timer !== null) clearTimeout(turning.timer);
    if (turning.pending !== null) this.#options.session.commands.remove(turning.pending);
  }

  #start(pages: readonly CardPage[], at: number, shown: string, showMs: number | null): void {
    this.stop();
    const until = showMs === null ? null : this.#options.session.now() + showMs;
    this.#unseen = none;
    const next = (at + 1) % pages.length;
    this.#turning = { pages, next, shown, until, turns: next, failures: 0, pending: null, timer: null };
    this.#schedule(this.#turning);
    // The state that Redis keeps names the pages of the card; a question's are kept with its wait.
    if (this.#layer === 'card') this.#options.session.save();
  }

  #schedule(turning: Turning): void {
    turning.timer = setTimeout(() => void this.#turn(turning), turning.pages[turning.next]!.afterMs);
  }

  async #turn(turning: Turning): Promise<void> {
    const layer = this.#layer;
    const { session, context, screen } = this.#options;
    const { id, picture } = turning.pages[turning.next]!;
    const cycleMs = turning.pages.reduce((sum, { afterMs }) => sum + afterMs, 0);
    try {
      const found = await context.store.media.find(session.account, picture.hash, cycleMs + renewBeyondMs);
      if (this.#turning !== turning) return;
      // The picture expired with Redis' memory, or the robot took the page away itself.
      if (found === null || screen[layer] !== turning.shown) return this.#giveUp(turning);
    } catch (error) {
      noteFailure(context, 'card', error);
      return this.#failed(turning);
    }
    const now = session.now();
    const showMs = turning.until === null ? {} : { show_ms: Math.max(1, Math.round(turning.until - now)) };
    turning.pending = {
      name: 'screen.show',
      args: { layer, id, ...showMs },
      attachments: [{ path: [], picture }],
      expires: now + showWithinMs,
      done: (outcome) => this.#onShown(turning, id, outcome),
    };
    if (!session.commands.push(turning.pending)) this.#failed(turning);
  }

  #onShown(turning: Turning, id: string, outcome: CommandOutcome): void {
    turning.pending = null;
    if (this.#turning !== turning) return;
    if (outcome.kind === 'unsent' || outcome.kind === 'media_missing') return this.#giveUp(turning);
    if (outcome.kind !== 'ack') return this.#failed(turning);
    turning.shown = id;
    turning.turns += 1;
    turning.failures = 0;
    turning.next = (turning.next + 1) % turning.pages.length;
    this.#schedule(turning);
  }

  #failed(turning: Turning): void {
    if (this.#turning !== turning) return;
    turning.pending = null;
    turning.failures += 1;
    if (turning.failures >= failuresMax) return this.#giveUp(turning);
    this.#schedule(turning);
  }

  #giveUp(turning: Turning): void {
    if (turning.turns < turning.pages.length - 1) this.#unseen = turning.pages;
    this.stop();
  }
}
