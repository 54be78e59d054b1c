import type { LogLine } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { robotKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

const keptMax = 100;
const keptS = 7 * 24 * 3600;

export class RobotLines {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Appends a line with Redis' time, but only while `session` holds the robot. */
  async append(robot: string, session: string, { level, text }: Omit<LogLine, 'at'>): Promise<void> {
    await this.#redis.script('linesAppend', [robotKeys.lease(robot), robotKeys.lines(robot)], [session, level, text, keptMax, keptS]);
  }

  /** Returns lines oldest first: up to 100, for 7 days after the last one. */
  async read(robot: string): Promise<LogLine[]> {
    const entries = await guarded(() => this.#redis.commands.lrange(robotKeys.lines(robot), 0, -1));
    return entries.map((entry) => {
      const [ms, level, ...text] = entry.split(' ');
      return { at: new Date(Number(ms)).toISOString(), level: level as LogLine['level'], text: text.join(' ') };
    });
  }
}
