/** Reads what robots show from their robot-links, which answer several robots at once. Costs Redis nothing but the messages. */
import { LRUCache } from 'lru-cache';
import type { ShownRobot } from '@perch/schema';
import type { RobotStates } from '../../robots/robot-states.js';
import type { RobotAccess } from '../sharing/robot-access.js';

/** A robot is asked at most this often by one instance, however many pages show it. */
const everyMs = 500;
const robotsMax = 10_000;

export class ShownRobots {
  readonly #access: Pick<RobotAccess, 'watch'>;
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #recent = new LRUCache<string, Promise<ShownRobot | null>>({ max: robotsMax, ttl: everyMs });

  constructor(access: Pick<RobotAccess, 'watch'>, states: Pick<RobotStates, 'watch'>) {
    this.#access = access;
    this.#states = states;
  }

  /** Omits robots that the account may not watch, robots that are away, and those whose robot-link did not reply. */
  async read(account: string, robots: readonly string[]): Promise<ShownRobot[]> {
    const found = await Promise.all(robots.map((robot) => this.#one(account, robot)));
    return found.filter((one) => one !== null);
  }

  async #one(account: string, robot: string): Promise<ShownRobot | null> {
    const access = await this.#access.watch(account, robot).catch(() => null);
    if (access === null || access.known.lease.state === 'away') return null;
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
