/** Up to 10 lines a minute; further ones are counted and dropped. The limit applies to the robot, so that reconnecting does not raise it. */
import { limits, logText, type Log } from '@perch/schema';
import type { Store } from '@perch/store';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LinkMetrics } from '../metrics/link-metrics.js';

interface Sender {
  readonly robot: string;
  readonly id: string;
}

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

  async #take({ robot, id }: Sender, { level, text }: Log): Promise<void> {
    const allowed = await this.#limiter.consume(robot).then(
      () => true,
      () => false,
    );
    const outcome = allowed ? await this.#append(robot, id, { level, text: logText(text) }) : 'over_limit';
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
