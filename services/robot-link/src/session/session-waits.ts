import type { Span } from '@perch/runtime';
import { limits, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { CommandQueue } from '../commands/command-queue.js';
import type { ScreenPages } from '../cards/screen-pages.js';
import { noteFailure, type LinkContext } from './context.js';
import type { HeldLease } from './held-lease.js';
import { sendReply } from './replies.js';
import type { RobotClock } from './robot-clock.js';
import type { OpenSession } from './open-session.js';
import type { WaitPort } from '../waits/wait-port.js';

export interface SessionWaitsOptions {
  session: OpenSession;
  lease: HeldLease;
  context: LinkContext;
  clock: RobotClock;
  pages: Pick<ScreenPages, 'leftUnseen' | 'turnQuestion' | 'restartQuestion'>;
  firmware: string;
  light: WaitPort['light'];
}

/** The program of the web page's robot in 0.10.x. It has no panel, and a screen reader presses and releases at once. */
const firstPageProgram = 'page-1';

export class SessionWaits implements WaitPort {
  readonly bootId: string;
  readonly commands: CommandQueue;
  readonly heldMinMs: number;
  readonly light: WaitPort['light'];
  readonly #session: OpenSession;
  readonly #lease: HeldLease;
  readonly #context: LinkContext;
  readonly #clock: RobotClock;
  readonly #pages: SessionWaitsOptions['pages'];

  constructor({ session, lease, context, clock, pages, firmware, light }: SessionWaitsOptions) {
    this.bootId = session.bootId;
    this.commands = session.commands;
    this.heldMinMs = firmware === firstPageProgram ? 0 : limits.answer.heldMin;
    this.light = light;
    this.#session = session;
    this.#lease = lease;
    this.#context = context;
    this.#clock = clock;
    this.#pages = pages;
  }

  now(): number {
    return this.#context.store.clock.now();
  }

  lastSeq(): number {
    return this.#session.lastSeq;
  }

  robotMs(): number | null {
    return this.#clock.now();
  }

  armWait(record: WaitRecord, at: Parameters<WaitPort['armWait']>[1]): ReturnType<WaitPort['armWait']> {
    return this.#lease.arm(record, at);
  }

  settleWait(...[number, outcome, input]: Parameters<WaitPort['settleWait']>): ReturnType<WaitPort['settleWait']> {
    const seen = outcome.outcome === 'answered' || outcome.outcome === 'timed_out';
    return this.#lease.settle(number, seen && this.#pages.leftUnseen(number) ? { ...outcome, pagesUnseen: true } : outcome, input);
  }

  readWait(number: number): ReturnType<WaitPort['readWait']> {
    return this.#context.store.waits.read(this.#session.robot, number);
  }

  turnPage(): void {
    this.#pages.turnQuestion();
  }

  restartPages(): void {
    this.#pages.restartQuestion();
  }

  waitMediaMissing(record: WaitRecord, hash: string): void {
    sendReply(this.#context, record.gateway, { t: 'media_missing', id: record.call, hash });
  }

  waitSettled({ kind }: WaitRecord, { outcome }: WaitOutcome): void {
    this.#context.metrics.waits.inc({ kind, outcome });
  }

  traceWait(record: WaitRecord): Span | null {
    if (record.trace === undefined) return null;
    const attributes = { 'perch.robot': this.#session.robot, 'perch.wait': record.kind };
    return this.#context.tracing?.resume(`wait ${record.kind}`, record.trace, { kind: 'server', attributes }) ?? null;
  }

  loseLease(): void {
    this.#lease.lose();
  }

  storeFailed(error: unknown): void {
    noteFailure(this.#context, 'input', error);
  }
}
