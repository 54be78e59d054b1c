/** The robots of a round with the people at them: half of them of one account, half of the other. */
import { until } from '@perch/testkit';
import type { Misbehaviour, RobotsControl } from '../faults/fault.js';
import type { History } from '../history/history.js';
import type { Marks } from '../history/marks.js';
import type { Random } from '../random.js';
import { misbehave } from './misbehaviours.js';
import { Person, type PersonPace } from './person.js';
import { RecordedRobot, type RecordedRobotOptions } from './recorded-robot.js';

export interface CrewOptions extends Pick<RecordedRobotOptions, 'placeOf' | 'reconnect'> {
  /** In the order in which their ids are given to faults. */
  robots: readonly { id: string; account: string; token: string }[];
  /** Robot-links they dial, in turn. */
  links: readonly string[];
  history: History;
  random: Random;
  marks: Marks;
  /** How quickly the people act and answer. Default: several times a second. */
  pace?: PersonPace;
}

const onlineWithinMs = 15_000;

export class Crew implements RobotsControl {
  readonly robots: readonly RecordedRobot[];
  readonly ids: readonly string[];
  readonly #people: readonly Person[];
  readonly #history: History;
  readonly #random: Random;

  private constructor(robots: readonly RecordedRobot[], { history, random, marks, pace }: CrewOptions) {
    this.robots = robots;
    this.ids = robots.map(({ id }) => id);
    this.#history = history;
    this.#random = random;
    this.#people = robots.map((robot, i) => new Person(robot, history, random.fork(`person ${i}`), marks, pace));
  }

  /** Resolves when all are online. @throws when one is not within 15 s; none is left running then */
  static async start(options: CrewOptions): Promise<Crew> {
    const robots = options.robots.map(
      (robot, i) =>
        new RecordedRobot({
          ...robot,
          url: options.links[i % options.links.length] ?? '',
          placeOf: options.placeOf,
          ...(options.reconnect === undefined ? {} : { reconnect: options.reconnect }),
          history: options.history,
          random: options.random.fork(`robot ${i}`),
        }),
    );
    const crew = new Crew(robots, options);
    // Where one does not come online, this one's end is the others', too.
    for (const { core } of robots) core.start().catch(() => undefined);
    try {
      await crew.online(onlineWithinMs);
    } catch (error) {
      await crew.stop();
      throw error;
    }
    return crew;
  }

  misbehave(ids: readonly string[], kind: Misbehaviour): () => void {
    const ends = this.#named(ids).flatMap(({ id, core }) => [
      this.#history.misbehaves(id, kind),
      misbehave[kind](core, this.#random.fork(`${kind} ${id}`)),
    ]);
    return () => {
      for (const end of ends.splice(0)) end();
    };
  }

  moveTo(ids: readonly string[], url: string): void {
    for (const robot of this.#named(ids)) robot.moveTo(url);
  }

  /** Resolves when every robot is online. @throws after `withinMs`, naming who is not */
  async online(withinMs: number): Promise<void> {
    const away = (): RecordedRobot[] => this.robots.filter(({ core }) => !core.online);
    await until(() => away().length === 0, { timeoutMs: withinMs, everyMs: 20, what: 'the robots to be online' }).catch(() => {
      throw new Error(
        `not online: ${away()
          .map(({ id, core }) => `${id} ${core.summary()}`)
          .join(', ')}`,
      );
    });
  }

  /** People make one last gesture each, then none; resolves when the service has all input safe. @throws after `withinMs`, naming whose it has not */
  async settle(withinMs: number): Promise<void> {
    await Promise.all(this.#people.map((person) => person.stop()));
    await Promise.all(this.#people.map((person) => person.lastTouch()));
    const unsafe = (): RecordedRobot[] => this.robots.filter(({ core: { inputs } }) => inputs.acked < inputs.seq);
    await until(() => unsafe().length === 0, { timeoutMs: withinMs, everyMs: 20, what: 'all input to be safe' }).catch(() => {
      throw new Error(
        `input not safe: ${unsafe()
          .map(({ id, core }) => `${id} ${core.summary()}`)
          .join(', ')}`,
      );
    });
  }

  /** Ends all of them, within 5 s. */
  async stop(): Promise<void> {
    await Promise.all(this.#people.map((person) => person.stop()));
    await Promise.all(this.robots.map(({ core }) => core.stop()));
  }

  #named(ids: readonly string[]): RecordedRobot[] {
    const wanted = new Set(ids);
    return this.robots.filter(({ id }) => wanted.has(id));
  }
}
