/** The robots that an API key reaches, for `GET /v1/robots` and `robot_list`: ascending by id. */
import { listedCommands, listedFeatures, robotName, type DeclaredCommand, type Robot, type RobotsQuery } from '@perch/schema';
import type { AdmittedKey, ProgramsRobot, RobotHello, Store } from '@perch/store';
import { LRUCache } from 'lru-cache';

export type RobotReach = Pick<AdmittedKey, 'account' | 'robots'>;

/** Robots of the same firmware send the same hello, so their features and commands are parsed and checked once. */
const hellosMax = 500;
/** Maximum time spent converting robots before the event loop runs other work, ms. */
const yieldAfterMs = 5;

export class RobotListReader {
  readonly #store: Pick<Store, 'robotList' | 'connections'>;
  readonly #hellos = new LRUCache<string, Pick<Robot, 'features' | 'commands'>>({ max: hellosMax });
  /** By slice: lists that read the same slice at the same time get the same array. */
  readonly #converted = new WeakMap<readonly ProgramsRobot[], Promise<Robot[]>>();

  constructor(store: Pick<Store, 'robotList' | 'connections'>) {
    this.#store = store;
  }

  /** Reads the robots that match a query, in slices; applying `limit` is up to the caller. @throws {StoreError} */
  async *slices({ account, robots }: RobotReach, { after = '', online, firmware, label = [] }: RobotsQuery): AsyncGenerator<Robot[]> {
    const range = { after, labels: label, ...(robots === '*' ? {} : { among: robots }) };
    for await (const slice of this.#store.robotList.forProgram(account, range)) {
      const converted = await this.#convert(slice);
      const all = online === undefined && firmware === undefined;
      yield all
        ? converted
        : converted.filter((robot) => robot.online === (online ?? robot.online) && robot.firmware === (firmware ?? robot.firmware));
    }
  }

  async page(reach: RobotReach, query: RobotsQuery & { limit: number }): Promise<{ robots: Robot[]; next: string | null }> {
    const robots: Robot[] = [];
    for await (const slice of this.slices(reach, query)) {
      robots.push(...slice);
      if (robots.length > query.limit) break;
    }
    return robots.length > query.limit ? { robots: robots.slice(0, query.limit), next: robots[query.limit - 1]!.id } : { robots, next: null };
  }

  #convert(slice: readonly ProgramsRobot[]): Promise<Robot[]> {
    let converted = this.#converted.get(slice);
    if (converted === undefined) this.#converted.set(slice, (converted = this.#convertAll(slice)));
    return converted;
  }

  async #convertAll(slice: readonly ProgramsRobot[]): Promise<Robot[]> {
    const robots: Robot[] = [];
    let since = performance.now();
    for (const { id, name, online, model, firmware, labels, hello } of slice) {
      const declared = { model: model ?? '', firmware: firmware ?? '', ...this.#declared(hello) };
      robots.push({ id, name: robotName(id, name), online, ...declared, labels });
      if (performance.now() - since < yieldAfterMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    return robots;
  }

  #declared(hello: string | null): Pick<Robot, 'features' | 'commands'> {
    if (hello === null) return { commands: [] };
    let declared = this.#hellos.get(hello);
    if (declared === undefined) {
      const read = this.#store.connections.forms.read<Partial<RobotHello>>('robot_hello', hello);
      declared = { features: listedFeatures(read?.features ?? []), commands: listedCommands((read?.commands ?? []) as DeclaredCommand[]) };
      this.#hellos.set(hello, declared);
    }
    return declared;
  }
}
