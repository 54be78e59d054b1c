/**
 * Changes the countdown on a robot's card each second. Frames are drawn a few seconds ahead, and shown at their second by the service's clock; a late
 * one is not shown. Nothing is drawn while a question covers the card; a command for the card layer and the end of the session stop it.
 */
import type { CardCountdown, PictureRef, ScreenState } from '@perch/schema';
import { countdownFrame, nextRest, shownRest, type Scene } from '@perch/screen';
import { countdownCardId, newCardId, seriesOfCard } from '@perch/store';
import type { FrameTaker, WantedFrame } from '../media/frame-queue.js';
import { noteFailure } from '../metrics/link-metrics.js';
import type { Command, CommandOutcome, Commands } from './commands.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';
import type { PageTurnerOptions } from './page-turner.js';

/** How far ahead frames are drawn, ms; the next frame is drawn in any case. */
const aheadMs = 5_000;
/** A frame is not begun later than this before it would be replaced, ms. */
const leastMs = 300;
/** Lifetime of a frame from when it is shown, ms: one that stays is copied after 10 s, as any card. */
const shownMs = 15_000;
/** Lifetime beyond that, for cards that are alike and began within a few seconds, ms. */
const sharedMs = 5_000;
/** Expiry of the command that shows the end, and time after which it is repeated, ms. */
const endWithinMs = 5_000;
/** After as many refusals of the robot in a row, the frame that shows stays. */
const refusalsMax = 10;

interface Countdown {
  countdown: CardCountdown & { scene: Scene };
  series: string;
  shown: string;
  shownRest: number | null;
  /** Seconds left on the last frame that was asked for; null: the current one comes next. */
  asked: number | null;
  frames: Map<number, PictureRef>;
  pending: { command: Command; id: string } | null;
  refusals: number;
  timer: NodeJS.Timeout | null;
  /** Aborts the frame that is being drawn. Null while a question covers the card. */
  drawing: AbortController | null;
}

export class CountdownTicker implements FrameTaker {
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #commands: Commands;
  readonly #screen: Readonly<Pick<ScreenState, 'card' | 'question'>>;
  #running: Countdown | null = null;
  /** The last command for the card layer that was queued in this session, other than frames. */
  #newest: Command | null = null;
  #stops = 0;

  constructor({ lease, context, commands, showing }: PageTurnerOptions) {
    this.#lease = lease;
    this.#context = context;
    this.#commands = commands;
    this.#screen = showing;
  }

  queued(command: Command): void {
    if (command.args['layer'] !== 'card' || command === this.#running?.pending?.command) return;
    this.#newest = command;
    this.stop();
  }

  acked(command: Command): void {
    if (!command.name.startsWith('screen.')) return;
    if (command === this.#newest && command.countdown !== undefined) this.#start(command.countdown, String(command.args['id']));
    else this.#screenChanged();
  }

  /** Continues the countdown that the robot shows. @param card id of the picture on its card layer */
  async takeOver(card: string): Promise<void> {
    const series = seriesOfCard(card);
    if (series === null) return;
    const stops = this.#stops;
    try {
      const countdown = await this.#context.store.countdowns.find(this.#lease.robot, series);
      if (countdown !== null && stops === this.#stops) this.#run(countdown, series, card, null);
    } catch (error) {
      noteFailure(this.#context, 'card', error);
    }
  }

  /** Also takes a frame back that is not written yet. */
  stop(): void {
    this.#stops += 1;
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    this.#pause(running);
    if (running.pending !== null) this.#commands.remove(running.pending.command);
  }

  #screenChanged(): void {
    const running = this.#running;
    if (running === null) return;
    const { card, question } = this.#screen;
    if (card !== running.shown && card !== running.pending?.id) return this.stop();
    if (question !== null && running.drawing !== null) this.#pause(running);
    else if (question === null && running.drawing === null) this.#resume(running);
  }

  nextFrame(): WantedFrame | null {
    const running = this.#running;
    if (running === null || running.drawing === null || running.asked === 0) return null;
    const { account } = this.#lease;
    const now = this.#lease.now();
    const { scene, end, formats, bytesMax, palette } = running.countdown;
    const current = shownRest(this.#rest(end));
    let rest = running.asked === null ? current : Math.min(nextRest(running.asked), current);
    if (rest === current && rest > 0 && dueAt(end, nextRest(rest)) - now < leastMs) rest = nextRest(rest);
    const dueInMs = Math.max(0, dueAt(end, rest) - now);
    if (dueInMs > aheadMs && (current === 0 || rest !== nextRest(current))) return null;
    running.asked = rest;
    const ttlMs = Math.ceil(dueInMs) + shownMs;
    return {
      job: {
        kind: 'draw',
        account,
        scene: countdownFrame(scene, rest),
        uploads: [],
        formats,
        bytesMax,
        ...(palette && { palette }),
        keepMs: ttlMs + sharedMs,
      },
      ttlMs,
      withinMs: rest === 0 ? null : dueAt(end, nextRest(rest)) - now,
      signal: running.drawing.signal,
      drawn: (picture) => {
        if (this.#running !== running) return;
        running.frames.set(rest, picture);
        this.#show(running);
      },
      failed: () => {
        // The end is asked for again at the next tick; any other second is left out.
        if (rest === 0) running.asked = null;
      },
    };
  }

  #start(countdown: CardCountdown, shown: string): void {
    const series = seriesOfCard(shown);
    if (series === null) return;
    const { robot, session } = this.#lease;
    this.#context.store.countdowns.save({ robot, session }, series, countdown).catch((error: unknown) => noteFailure(this.#context, 'card', error));
    // Delivered after its end, it shows another second than the current one.
    this.#run(countdown, series, shown, shownRest(this.#rest(countdown.end)) || null);
  }

  #run(countdown: CardCountdown, series: string, shown: string, rest: number | null): void {
    const whole = countdown as Countdown['countdown'];
    const running: Countdown = {
      countdown: whole,
      series,
      shown,
      shownRest: rest,
      asked: null,
      frames: new Map(),
      pending: null,
      refusals: 0,
      timer: null,
      drawing: null,
    };
    this.#running = running;
    if (this.#screen.question === null) this.#resume(running);
  }

  #resume(running: Countdown): void {
    running.drawing = new AbortController();
    running.asked = running.shownRest;
    this.#tick(running);
  }

  #pause(running: Countdown): void {
    if (running.timer !== null) clearTimeout(running.timer);
    running.timer = null;
    running.drawing?.abort();
    running.drawing = null;
    running.frames.clear();
    this.#context.frames.leave(this);
  }

  #tick(running: Countdown): void {
    const { end } = running.countdown;
    const current = shownRest(this.#rest(end));
    for (const rest of running.frames.keys()) if (rest > current) running.frames.delete(rest);
    this.#show(running);
    if (this.#running !== running) return;
    this.#context.frames.enter(this);
    const inMs = current === 0 ? endWithinMs : dueAt(end, nextRest(current)) - this.#lease.now();
    running.timer = setTimeout(() => this.#tick(running), Math.max(1, Math.ceil(inMs)));
  }

  #show(running: Countdown): void {
    const { end } = running.countdown;
    const rest = shownRest(this.#rest(end));
    const picture = running.frames.get(rest);
    if (picture === undefined || running.shownRest === rest) return;
    if (running.pending !== null && !this.#commands.remove(running.pending.command)) return;
    if (this.#screen.card !== running.shown) return this.stop();
    const id = rest === 0 ? newCardId(picture.hash) : countdownCardId(picture.hash, running.series);
    const command: Command = {
      name: 'screen.show',
      args: { layer: 'card', id },
      attachments: [{ path: [], picture }],
      expires: rest === 0 ? this.#lease.now() + endWithinMs : dueAt(end, nextRest(rest)),
      done: (outcome) => this.#onShown(running, { command, id, rest }, outcome),
    };
    running.pending = { command, id };
    if (!this.#commands.push(command)) running.pending = null;
  }

  #onShown(running: Countdown, { command, id, rest }: { command: Command; id: string; rest: number }, outcome: CommandOutcome): void {
    if (running.pending?.command === command) running.pending = null;
    if (this.#running !== running) return;
    if (outcome.kind === 'ack') {
      running.shown = id;
      running.shownRest = rest;
      running.refusals = 0;
      if (rest === 0) this.#finish(running);
      else this.#show(running);
    } else if (outcome.kind === 'nack' && outcome.end !== 'late') {
      running.refusals += 1;
      if (running.refusals >= refusalsMax) this.#finish(running);
    } else if (outcome.kind === 'media_missing') {
      running.frames.delete(rest);
      if (rest === 0) running.asked = null;
    }
  }

  #finish(running: Countdown): void {
    this.#running = null;
    this.#pause(running);
  }

  #rest(end: number): number {
    return Math.max(0, Math.ceil((end - this.#lease.now()) / 1000));
  }
}

function dueAt(end: number, rest: number): number {
  return end - rest * 1000;
}
