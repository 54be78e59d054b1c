import type { AppendResult } from '@perch/store';
import { noteFailure, type LinkContext } from './context.js';
import type { HeldLease } from './held-lease.js';
import type { InputMark, InputPort, Marks, NamedEvent, Touch } from '../input/input-queue.js';
import type { OpenSession } from './open-session.js';
import type { RobotReadings } from './readings.js';
import type { WaitController } from '../waits/wait-controller.js';

export interface SessionInputsOptions {
  session: OpenSession & { readonly waits: Pick<WaitController, 'answer'> };
  lease: HeldLease;
  context: LinkContext;
  readings: Pick<RobotReadings, 'headMovedWithin'>;
}

export class SessionInputs implements InputPort {
  readonly #options: SessionInputsOptions;

  constructor(options: SessionInputsOptions) {
    this.#options = options;
  }

  headMovedWithin(ms: number): boolean {
    return this.#options.readings.headMovedWithin(ms);
  }

  answer(touch: Touch, safeSeq: number): ReturnType<InputPort['answer']> {
    return this.#options.session.waits.answer(touch, safeSeq);
  }

  async append(events: readonly NamedEvent[], at: InputMark, marks: Marks, again: boolean): Promise<AppendResult> {
    const { lease, context } = this.#options;
    if (again && at.seq === null && (await this.#isStored(events))) return { appended: false, why: 'old' };
    const appended = await lease.append(events, at, marks);
    if (appended.appended) for (const { name } of events) context.metrics.events.inc({ name });
    return appended;
  }

  /** For events without an input number: an earlier attempt, whose reply was lost, may have stored them. */
  async #isStored(events: readonly NamedEvent[]): Promise<boolean> {
    const { session, context } = this.#options;
    const page = await context.store.events.read(session.robot, { limit: 20, newest: true });
    return page.events.some(({ name, at }) => name === events[0]?.name && Date.parse(at) >= session.openedAt);
  }

  ackLater(): void {
    this.#options.context.registry.ackLater(this.#options.session);
  }

  loseLease(): void {
    this.#options.lease.lose();
  }

  storeFailed(error: unknown): void {
    noteFailure(this.#options.context, 'input', error);
  }

  inputDropped(): void {
    this.#options.context.metrics.inputsDropped.inc();
  }
}
