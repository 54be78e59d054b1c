/** Reads what robots show from their robot-links, which answer several robots at once. Costs Redis nothing but the messages. */
import { LRUCache } from 'lru-cache';
import { validateShownQuery, type ShownRobot } from '@perch/schema';
import type { RobotDirectory } from '../../robots/robot-directory.js';
import type { RobotStates } from '../../robots/robot-states.js';
import type { SessionRequest, SessionRoute } from '../route.js';

/** A robot is asked at most this often by one instance, however many pages show it. */
const everyMs = 500;
const robotsMax = 10_000;

export class ShownRobots {
  readonly #directory: Pick<RobotDirectory, 'find'>;
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #recent = new LRUCache<string, Promise<ShownRobot | null>>({ max: robotsMax, ttl: everyMs });

  constructor(directory: Pick<RobotDirectory, 'find'>, states: Pick<RobotStates, 'watch'>) {
    this.#directory = directory;
    this.#states = states;
  }

  get routes(): SessionRoute[] {
    const handle = async ({ session, query }: SessionRequest): Promise<object> => {
      return { ok: true, robots: await this.#read(session.account, validateShownQuery(query)) };
    };
    return [{ for: 'session', method: 'GET', path: 'shown', cost: 1, label: 'console_shown', handle }];
  }

  /** Omits robots of other accounts, robots that are away, and those whose robot-link did not reply. */
  async #read(account: string, robots: readonly string[]): Promise<ShownRobot[]> {
    const found = await Promise.all(robots.map((robot) => this.#one(account, robot)));
    return found.filter((one) => one !== null);
  }

  async #one(account: string, robot: string): Promise<ShownRobot | null> {
    const known = await this.#directory.find(robot);
    if (known?.record.account !== account || known.lease.state === 'away') return null;
    const recent = this.#recent.get(robot);
    if (recent !== undefined) return recent;
    const asked = this.#ask(robot);
    this.#recent.set(robot, asked);
    return asked;
  }

  async #ask(robot: string): Promise<ShownRobot | null> {
    try {
      const { state, doing } = await this.#states.watch(robot);
      // Without a reply, the state is the saved one, which may be old.
      if (doing === null) return null;
      const { showing } = state;
      return { id: robot, showing, bubble: doing.bubble, readings: showing.view === 'readings' ? (state.readings as ShownRobot['readings']) : {} };
    } catch {
      // Removed meanwhile, or Redis is unavailable.
      return null;
    }
  }
}
