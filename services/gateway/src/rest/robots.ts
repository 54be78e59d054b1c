/** The robots of a key, as `GET /v1/robots` and the tool `robot_list` list them: ascending by id, read in slices. */
import { listedCommands, robotName, type DeclaredCommand, type ListedCommand, type Robot, type RobotsQuery } from '@perch/schema';
import type { AdmittedKey, ProgramsRobot, RobotHello, Store } from '@perch/store';
import { LRUCache } from 'lru-cache';

export type RobotReach = Pick<AdmittedKey, 'account' | 'robots'>;

/** Robots of one firmware say the same hello: their commands are parsed and checked once. */
const hellosKept = 500;
/** How long robots are made ready to be sent before other work is let in, ms. */
const atOnceMs = 5;

export class KeysRobots {
  readonly #store: Pick<Store, 'robotList' | 'connections'>;
  readonly #commands = new LRUCache<string, ListedCommand[]>({ max: hellosKept });
  /** By slice: lists that read the same slice at the same time are given the same array. */
  readonly #made = new WeakMap<readonly ProgramsRobot[], Promise<Robot[]>>();

  constructor(store: Pick<Store, 'robotList' | 'connections'>) {
    this.#store = store;
  }

  /** Reads the robots that a key reaches and a query asks for, in slices; `limit` is the caller's. @throws {StoreError} */
  async *slices({ account, robots }: RobotReach, { after = '', online, firmware, label = [] }: RobotsQuery): AsyncGenerator<Robot[]> {
    const range = { after, labels: label, ...(robots === '*' ? {} : { among: robots }) };
    for await (const slice of this.#store.robotList.forProgram(account, range)) {
      const made = await this.#make(slice);
      const all = online === undefined && firmware === undefined;
      yield all ? made : made.filter((robot) => robot.online === (online ?? robot.online) && robot.firmware === (firmware ?? robot.firmware));
    }
  }

  /** Reads one slice of a list. @throws {StoreError} */
  async page(reach: RobotReach, query: RobotsQuery & { limit: number }): Promise<{ robots: Robot[]; next: string | null }> {
    const robots: Robot[] = [];
    for await (const slice of this.slices(reach, query)) {
      robots.push(...slice);
      if (robots.length > query.limit) break;
    }
    return robots.length > query.limit ? { robots: robots.slice(0, query.limit), next: robots[query.limit - 1]!.id } : { robots, next: null };
  }

  #make(slice: readonly ProgramsRobot[]): Promise<Robot[]> {
    let made = this.#made.get(slice);
    if (made === undefined) this.#made.set(slice, (made = this.#makeAll(slice)));
    return made;
  }

  async #makeAll(slice: readonly ProgramsRobot[]): Promise<Robot[]> {
    const robots: Robot[] = [];
    let since = performance.now();
    for (const { id, name, online, model, firmware, labels, hello } of slice) {
      const said = { model: model ?? '', firmware: firmware ?? '', commands: this.#commandsOf(hello) };
      robots.push({ id, name: robotName(id, name), online, ...said, labels });
      if (performance.now() - since < atOnceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    return robots;
  }

  #commandsOf(hello: string | null): ListedCommand[] {
    if (hello === null) return [];
    let commands = this.#commands.get(hello);
    if (commands === undefined) {
      const read = this.#store.connections.forms.read<Partial<RobotHello>>('robot_hello', hello);
      commands = listedCommands((read?.commands ?? []) as DeclaredCommand[]);
      this.#commands.set(hello, commands);
    }
    return commands;
  }
}
