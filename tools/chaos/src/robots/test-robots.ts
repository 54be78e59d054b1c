import type { Micropython } from '@perch/micropython-robot';
import { until } from '@perch/testkit';
import type { Misbehaviour, RobotsControl } from '../faults/fault.js';
import type { History } from '../history/history.js';
import type { Marks } from '../history/marks.js';
import type { Random } from '../random.js';
import { lackedByMicropython, misbehave } from './misbehaviours.js';
import { Person, type PersonPace } from './person.js';
import { RecordedRobot, type RecordedRobotOptions } from './recorded-robot.js';

export interface TestRobotsOptions extends Pick<RecordedRobotOptions, 'placeOf' | 'reconnect'> {
  /** Faults see ids in this order. */
  robots: readonly ({ id: string; account: string; token: string } & Pick<RecordedRobotOptions, 'micropython' | 'program'>)[];
  links: readonly string[];
  history: History;
  random: Random;
  marks: Marks;
  /** Default: several times a second. */
  pace?: PersonPace;
  /** The last robot is the robot program in it. */
  micropython?: Micropython | null;
}

const onlineWithinMs = 15_000;

export class TestRobots implements RobotsControl {
  readonly all: readonly RecordedRobot[];
  readonly ids: readonly string[];
  readonly #people: readonly Person[];
  readonly #history: History;
  readonly #random: Random;

  private constructor(robots: readonly RecordedRobot[], { history, random, marks, pace }: TestRobotsOptions) {
    this.all = robots;
    this.ids = robots.map(({ id }) => id);
    this.#history = history;
    this.#random = random;
    this.#people = robots.map((robot, i) => new Person(robot, history, random.fork(`person ${i}`), marks, pace));
  }

  /** @throws if one is not online within 15 s; none is left running then */
  static async start(options: TestRobotsOptions): Promise<TestRobots> {
    const recorded = await Promise.all(
      options.robots.map((robot, i) =>
        RecordedRobot.open({
          ...robot,
          url: options.links[i % options.links.length] ?? '',
          placeOf: options.placeOf,
          ...(options.reconnect === undefined ? {} : { reconnect: options.reconnect }),
          history: options.history,
          random: options.random.fork(`robot ${i}`),
          ...(i === options.robots.length - 1 && options.micropython && { micropython: options.micropython }),
        }),
      ),
    );
    const robots = new TestRobots(recorded, options);
    for (const { core } of recorded) core.start().catch(() => undefined);
    try {
      await robots.online(onlineWithinMs);
    } catch (error) {
      await robots.stop();
      throw error;
    }
    return robots;
  }

  misbehave(ids: readonly string[], kind: Misbehaviour): () => void {
    const able = this.#named(ids).filter(({ isMicropython }) => !isMicropython || !lackedByMicropython.has(kind));
    const ends = able.flatMap(({ id, core }) => [this.#history.misbehaves(id, kind), misbehave[kind](core, this.#random.fork(`${kind} ${id}`))]);
    return () => {
      for (const end of ends.splice(0)) end();
    };
  }

  moveTo(ids: readonly string[], url: string): void {
    for (const robot of this.#named(ids)) robot.moveTo(url);
  }

  /** @throws after `withinMs`, naming the robots that are not online */
  async online(withinMs: number): Promise<void> {
    const away = (): RecordedRobot[] => this.all.filter(({ core }) => !core.online);
    await until(() => away().length === 0, { timeoutMs: withinMs, everyMs: 20, what: 'the robots to be online' }).catch(() => {
      throw new Error(
        `not online: ${away()
          .map(({ id, core }) => `${id} ${core.summary()}`)
          .join(', ')}`,
      );
    });
  }

  /** Each person makes one last gesture; resolves when all input is acknowledged. @throws after `withinMs`, naming the other robots */
  async settle(withinMs: number): Promise<void> {
    await Promise.all(this.#people.map((person) => person.stop()));
    await Promise.all(this.#people.map((person) => person.lastTouch()));
    const unsafe = (): RecordedRobot[] => this.all.filter(({ core: { inputs } }) => inputs.acked < inputs.seq);
    await until(() => unsafe().length === 0, { timeoutMs: withinMs, everyMs: 20, what: 'all input to be safe' }).catch(() => {
      throw new Error(
        `input not safe: ${unsafe()
          .map(({ id, core }) => `${id} ${core.summary()}`)
          .join(', ')}`,
      );
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#people.map((person) => person.stop()));
    await Promise.all(this.all.map((robot) => robot.stop()));
  }

  #named(ids: readonly string[]): RecordedRobot[] {
    const wanted = new Set(ids);
    return this.all.filter(({ id }) => wanted.has(id));
  }
}
