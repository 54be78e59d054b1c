/** Lines that robots log, and lines about robots whose messages cannot be read. */
import type { Logger } from '@perch/runtime';
import { limits, logText, type Log, type UnreadableInput, type UnreadableMessage } from '@perch/schema';
import type { Store } from '@perch/store';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LinkMetrics } from '../metrics/link-metrics.js';

interface Sender {
  readonly robot: string;
  readonly session: string;
}

/** Keeps up to 10 lines a minute; further ones are counted and dropped. The limit applies to the robot, so that reconnecting does not raise it. */
export class RobotLog {
  readonly #lines: Store['robotLines'];
  readonly #metrics: Pick<LinkMetrics, 'logLines'>;
  readonly #failed: (error: unknown) => void;
  readonly #limiter = new RateLimiterMemory({ points: limits.link.logLinesPerMinute, duration: 60 });

  /** @param failed receives errors of Redis; the line is then lost */
  constructor(lines: Store['robotLines'], metrics: Pick<LinkMetrics, 'logLines'>, failed: (error: unknown) => void) {
    this.#lines = lines;
    this.#metrics = metrics;
    this.#failed = failed;
  }

  take(sender: Sender, line: Log): void {
    void this.#take(sender, line);
  }

  async #take({ robot, session }: Sender, { level, text }: Log): Promise<void> {
    const allowed = await this.#limiter.consume(robot).then(
      () => true,
      () => false,
    );
    const outcome = allowed ? await this.#append(robot, session, { level, text: logText(text) }) : 'over_limit';
    this.#metrics.logLines.inc({ outcome });
  }

  async #append(robot: string, session: string, line: Pick<Log, 'level' | 'text'>): Promise<'kept' | 'failed'> {
    try {
      await this.#lines.append(robot, session, line);
      return 'kept';
    } catch (error) {
      this.#failed(error);
      return 'failed';
    }
  }
}

const linesPerMinute = 10;
const windowMs = 60_000;

/** Counts and logs what cannot be read. The log is rate limited per instance, the counters are not. */
export class UnreadableLog {
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

  #write({ robot, session }: Sender, fields: object, message: string): void {
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
    this.#log.warn({ robot, session, ...fields, ...(this.#omitted === 0 ? {} : { omitted: this.#omitted }) }, message);
    this.#omitted = 0;
  }
}
