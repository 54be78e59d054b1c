/** Lists robots ascending by id, so that a list can continue after any id; in slices, so that a list of 10,000 delays nothing else. */
import { labelsOf, type Labels, type RobotSettings, type ScreenState, type StoredRobotUpdate } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { isRobotId } from '../redis/ids.js';
import { robotKeys } from '../redis/keys.js';
import type { Lease, Leases, SavedState } from './leases.js';
import type { Connections } from '../redis/connections.js';
import { inSlices, type RobotIds } from './robot-ids.js';
import type { RobotLabels } from './robot-labels.js';
import { storedUpdate } from './robot-updates.js';
import { settingsFields, settingsOf } from './robot-record.js';
import type { SliceQueue } from '../redis/slice-queue.js';

export interface ListedRobot {
  id: string;
  name: string;
  /** Null until the robot has connected once, like firmware. */
  model: string | null;
  firmware: string | null;
  online: boolean;
  labels: Labels;
}

export interface ProgramsRobot extends ListedRobot {
  /** `RobotHello` as JSON; null until the robot has connected once. */
  hello: string | null;
}

export interface OwnersRobot extends ListedRobot {
  serial: string | null;
  virtual: boolean;
  settings: RobotSettings;
  /** Redis ms. */
  createdAt: number;
  /** Redis ms; null if never. Of an online robot: when it connected or last reported. */
  lastSeenAt: number | null;
  /** Up to half a minute old; null when unknown. */
  batteryPct: number | null;
  showing: ScreenState | null;
  update: StoredRobotUpdate | null;
}

export interface ListRange {
  /** Only greater ids; the id need not exist. */
  after?: string;
  among?: readonly string[];
  labels?: readonly string[];
}

const listedFields = ['account', 'name', 'model', 'firmware'] as const;

export class RobotList {
  readonly #redis: Connections;
  readonly #leases: Leases;
  readonly #ids: RobotIds;
  readonly #labels: RobotLabels;
  readonly #queue: SliceQueue;

  constructor(redis: Connections, leases: Leases, ids: RobotIds, labels: RobotLabels, queue: SliceQueue) {
    this.#redis = redis;
    this.#leases = leases;
    this.#ids = ids;
    this.#labels = labels;
    this.#queue = queue;
  }

  /** Lists that read the same slice at the same time get the same array. */
  async *forProgram(account: string, range: ListRange = {}): AsyncGenerator<readonly ProgramsRobot[]> {
    const ids = await this.#idsOf(account, range);
    yield* inSlices(this.#queue, { account, name: 'program', ids }, (slice) => this.#programs(account, slice));
  }

  async *forOwner(account: string, range: ListRange = {}): AsyncGenerator<readonly OwnersRobot[]> {
    const ids = await this.#idsOf(account, range);
    yield* inSlices(this.#queue, { account, name: 'owner', ids }, (slice) => this.#owners(account, slice));
  }

  async one(account: string, robot: string): Promise<OwnersRobot | null> {
    return isRobotId(robot) ? ((await this.#owners(account, [robot]))[0] ?? null) : null;
  }

  async #idsOf(account: string, { after = '', among, labels = [] }: ListRange): Promise<readonly string[]> {
    const all = await this.#named(account, among, labels);
    return after === '' ? all : all.filter((id) => id > after);
  }

  async #named(account: string, among: readonly string[] | undefined, labels: readonly string[]): Promise<readonly string[]> {
    if (among === undefined) return labels.length === 0 ? this.#ids.of(account) : this.#labels.all(account, labels);
    const ids = [...new Set(among)].toSorted();
    return labels.length === 0 ? ids : this.#labels.among(account, ids, labels);
  }

  async #programs(account: string, ids: readonly string[]): Promise<ProgramsRobot[]> {
    const found = await this.#read(account, ids, ['hello']);
    return found.map(({ listed, more: [hello] }) => ({ ...listed, hello: hello ?? null }));
  }

  async #owners(account: string, ids: readonly string[]): Promise<OwnersRobot[]> {
    const [found, saved] = await Promise.all([
      this.#read(account, ids, ['created_at', 'virtual', 'serial', 'update', ...settingsFields]),
      Promise.all(ids.map(async (id) => [id, await this.#leases.saved(id)] as const)),
    ]);
    const savedOf = new Map(saved);
    return found.map(({ listed, lease: { since }, more: [createdAt, virtual, serial, update, ...settings] }) => {
      const state = savedOf.get(listed.id) ?? null;
      return {
        ...listed,
        serial: serial ?? null,
        virtual: virtual === '1',
        settings: settingsOf(settings),
        createdAt: Number(createdAt),
        lastSeenAt: since === 0 ? null : Math.max(since, state?.readingsAt ?? 0),
        batteryPct: batteryOf(state),
        showing: state?.showing ?? null,
        update: storedUpdate(update),
      };
    });
  }

  /** Omits ids that do not belong to the account. @param more further fields of the records */
  async #read(
    account: string,
    ids: readonly string[],
    more: readonly string[],
  ): Promise<{ listed: ListedRobot; lease: Lease; more: (string | null)[] }[]> {
    const sane = ids.filter(isRobotId);
    const [leases, labels, records] = await Promise.all([
      this.#leases.findAll(sane),
      this.#labels.stored(account, sane),
      guarded(() => Promise.all(sane.map((id) => this.#redis.commands.hmget(robotKeys.record(id), ...listedFields, ...more)))),
    ]);
    return sane.flatMap((id, i) => {
      const [owner, name, model, firmware, ...rest] = records[i]!;
      if (owner !== account) return [];
      const lease = leases[i]!;
      const described = { name: name ?? '', model: model ?? null, firmware: firmware ?? null };
      return [{ listed: { id, ...described, online: lease.state !== 'away', labels: labelsOf(labels[i]!) }, lease, more: rest }];
    });
  }
}

function batteryOf(saved: SavedState | null): number | null {
  const pct = saved?.readings['battery_pct'];
  return typeof pct === 'number' ? pct : null;
}
