/** Inputs and messages of robots that cannot be read. The log is rate limited per instance, the counters are not. */
import type { UnreadableInput, UnreadableMessage } from '@perch/schema';
import type { Logger } from '@perch/runtime';
import type { LinkMetrics } from '../metrics/link-metrics.js';

const linesPerMinute = 10;
const windowMs = 60_000;

interface Sender {
  readonly robot: string;
  readonly id: string;
}

export class Unreadable {
  readonly #log: Logger;
  readonly #metrics: Pick<LinkMetrics, 'inputsUnreadable' | 'messagesUnreadable'>;
  readonly #now: () => number;
  #windowEnds = 0;
  #lines = 0;
  #omitted = 0;

  constructor(log: Logger, metrics: Pick<LinkMetrics, 'inputsUnreadable' | 'messagesUnreadable'>, now = (): number => performance.now()) {
    this.#log = log;
    this.#metrics = metrics;
    this.#now = now;
  }

  input(sender: Sender, { of, seq, problem }: UnreadableInput): void {
    this.#metrics.inputsUnreadable.inc({ kind: of });
    this.#write(sender, { input: of, seq, problem }, 'unreadable input acknowledged and ignored');
  }

  message(sender: Sender, { of, problem }: UnreadableMessage): void {
    this.#metrics.messagesUnreadable.inc({ type: of });
    this.#write(sender, { type: of, problem }, 'unreadable message dropped');
  }

  #write({ robot, id }: Sender, fields: object, message: string): void {
    const now = this.#now();
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + windowMs;
      this.#lines = 0;
    }
    if (this.#lines >= linesPerMinute) {
      this.#omitted += 1;
      return;
    }
    this.#lines += 1;
    this.#log.warn({ robot, session: id, ...fields, ...(this.#omitted === 0 ? {} : { omitted: this.#omitted }) }, message);
    this.#omitted = 0;
  }
}
