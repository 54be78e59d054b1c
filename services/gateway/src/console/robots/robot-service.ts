import {
  ApiError,
  ConsoleError,
  validateAddRobot,
  validatePairingCode,
  updateRefusals,
  validateRobotChange,
  type AddRobotAnswer,
  limits,
  type ConsoleRobot,
  type ConsoleRobotsQuery,
  type PairingAnswer,
  type RobotLogAnswer,
  type RobotsAnswer,
  robotUpdateStatus,
} from '@perch/schema';
import { inDoubt, StoreError, type Holder, type OwnersRobot, type Store } from '@perch/store';
import { conflictWhenFull } from '../route.js';
import type { AuditNote } from '../audit.js';
import { noSuchRobot } from '../sharing/robot-access.js';

const firstSlice: ConsoleRobotsQuery = { limit: limits.robots.consoleLimitDefault, search: '' };

type RobotStore = Pick<Store, 'robots' | 'robotLabels' | 'robotLines' | 'robotList' | 'pairing' | 'linkMailbox' | 'clock'>;

export interface RobotServiceOptions {
  store: RobotStore;
  /** Robots that an account may add on the page and by pairing; does not limit the operator's CLI. */
  robotsMax: number;
  /** Called with an account whose list of robots changed. */
  changed: (account: string) => void;
  settingsChanged: (robot: string) => Promise<void>;
  /** Robots of other accounts that the account may watch or use. */
  sharedWith: (account: string) => Promise<ConsoleRobot[]>;
}

export class RobotService {
  readonly #store: RobotStore;
  readonly #robotsMax: number;
  readonly #changed: (account: string) => void;
  readonly #settingsChanged: (robot: string) => Promise<void>;
  readonly #sharedWith: (account: string) => Promise<ConsoleRobot[]>;

  constructor({ store, robotsMax, changed, settingsChanged, sharedWith }: RobotServiceOptions) {
    this.#store = store;
    this.#sharedWith = sharedWith;
    this.#robotsMax = robotsMax;
    this.#changed = changed;
    this.#settingsChanged = settingsChanged;
  }

  async list(account: string, query: ConsoleRobotsQuery = firstSlice): Promise<RobotsAnswer> {
    const { limit, after = '', label: labels = [] } = query;
    const found: OwnersRobot[] = [];
    for await (const slice of this.#store.robotList.forOwner(account, { after, labels })) {
      found.push(...slice.filter((robot) => matches(robot, query)));
      if (found.length > limit) break;
    }
    const next = found.length > limit ? found[limit - 1]!.id : null;
    const robots = found.slice(0, limit);
    const isWhole = next === null && after === '';
    if (isWhole) robots.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    // The set's size may include leftovers of an interrupted removal, so it is used only if the list was not read completely.
    const total = isWhole && matchesAll(query) ? robots.length : await this.#store.robots.count(account);
    const answer: RobotsAnswer = { ok: true, robots: robots.map((robot) => this.#viewOf(robot)), total, next };
    return after === '' ? { ...answer, shared: await this.#sharedWith(account) } : answer;
  }

  async find(account: string, robot: string): Promise<ConsoleRobot | null> {
    const found = await this.#store.robotList.one(account, robot);
    return found === null ? null : this.#viewOf(found);
  }

  async one(account: string, robot: string): Promise<ConsoleRobot> {
    const found = await this.find(account, robot);
    if (found === null) throw noSuchRobot();
    return found;
  }

  /** @throws {ApiError} bad_argument with `field`, rate_limited after wrong codes @throws {ConsoleError} conflict */
  async add(account: string, body: unknown, auditNote: AuditNote): Promise<AddRobotAnswer> {
    const wanted = validateAddRobot(body);
    const { robots, pairing } = this.#store;
    const { name = '' } = wanted;
    if ('virtual' in wanted) {
      const { robot, token } = await conflictWhenFull(() => robots.create({ account, name, virtual: true, max: this.#robotsMax }));
      return { ok: true, robot: await inDoubt(() => this.#added(account, robot)), token };
    }
    auditNote.kind = 'pairing_approve';
    const approved = await conflictWhenFull(() => pairing.approve(account, wanted.code, this.#robotsMax, wanted.replace === true));
    if (approved === null) throw noSuchCode();
    if ('replaces' in approved)
      throw new ConsoleError('conflict', `This robot replaces ${approved.replaces} and revokes its token. Confirm with replace: true.`, {
        field: 'replace',
      });
    auditNote.replaced = approved.replaced;
    if (name !== '')
      await robots.rename(account, approved.robot, name).catch((error: unknown) => {
        // The robot is paired already; the response shows the name it has.
        if (!(error instanceof StoreError)) throw error;
      });
    return { ok: true, robot: await this.#added(account, approved.robot) };
  }

  /** @throws {ApiError} bad_argument with `field`, rate_limited after wrong codes */
  async pairing(account: string, body: unknown): Promise<PairingAnswer> {
    const found = await this.#store.pairing.find(account, validatePairingCode(body));
    if (found === null) throw noSuchCode();
    const known = found.replaces === null ? null : await this.#store.robotList.one(account, found.replaces);
    return { ok: true, pairing: { ...found, replaces: known === null ? null : { id: known.id, name: known.name } } };
  }

  async log(account: string, robot: string): Promise<RobotLogAnswer> {
    const record = await this.#store.robots.get(robot);
    if (record?.account !== account) throw noSuchRobot();
    const { boot, features } = record.hello;
    return { ok: true, boot, unencrypted: features.includes('unencrypted'), lines: await this.#store.robotLines.read(robot) };
  }

  /** Changed settings are in force when this resolves. @throws {ApiError} bad_argument with `field` */
  async change(account: string, robot: string, body: unknown): Promise<ConsoleRobot> {
    const { labels, settings, ...named } = validateRobotChange(body);
    const isSet = Object.keys(settings).length > 0;
    const { robots, robotLabels } = this.#store;
    if (named.name !== undefined || isSet) {
      const holder = await robots.change(account, robot, { ...named, ...settings });
      if (holder === 'unknown') throw noSuchRobot();
      if (isSet && holder !== null) await this.#settingsChanged(robot);
    }
    if (labels !== undefined && typeof (await robotLabels.change(account, robot, { set: labels, dropOthers: true })) === 'string')
      throw noSuchRobot();
    return this.#added(account, robot);
  }

  /** Asks for the update to the version that the robot is offered. @throws {ConsoleError} conflict: there is none, or the robot is away */
  async update(account: string, robot: string): Promise<ConsoleRobot> {
    const { robots, clock } = this.#store;
    const asked = await robots.updates.request(account, robot, 'page', clock.now());
    if (asked === 'unknown') throw noSuchRobot();
    if (typeof asked === 'string') throw new ConsoleError('conflict', updateRefusals[asked]);
    // If the robot-link does not reply, it reads the request when it next takes the robot.
    await this.#settingsChanged(robot);
    return this.#added(account, robot);
  }

  async remove(account: string, robot: string): Promise<void> {
    const removed = await this.#store.robots.remove(account, robot);
    if (removed === 'unknown') throw noSuchRobot();
    this.#disconnect(robot, removed.holder);
    this.#changed(account);
  }

  async newToken(account: string, robot: string): Promise<string> {
    const found = await this.#store.robotList.one(account, robot);
    if (found === null) throw noSuchRobot();
    if (!found.virtual)
      throw new ConsoleError('conflict', 'Only virtual robots get a token here. Pair this robot again with the code on its screen.');
    const renewed = await this.#store.robots.renewToken(robot);
    if (renewed === null) throw noSuchRobot();
    this.#disconnect(robot, renewed.holder);
    this.#changed(account);
    return renewed.token;
  }

  async #added(account: string, robot: string): Promise<ConsoleRobot> {
    this.#changed(account);
    return this.one(account, robot);
  }

  /** Asks the robot-link to close the connection. If the message is lost, the revoked token is detected at the next write for the robot. */
  #disconnect(robot: string, holder: Holder | null): void {
    if (holder !== null) this.#store.linkMailbox.send(holder.instance, { t: 'close', robot, session: holder.session, code: 4003 }).catch(() => {});
  }

  #viewOf(robot: OwnersRobot): ConsoleRobot {
    return robotViewOf(robot, this.#store.clock.now());
  }
}

function matchesAll({ search, online, firmware, label }: ConsoleRobotsQuery): boolean {
  return search === '' && online === undefined && firmware === undefined && label === undefined;
}

function matches(robot: OwnersRobot, { search, online, firmware }: ConsoleRobotsQuery): boolean {
  if (online !== undefined && robot.online !== online) return false;
  if (firmware !== undefined && (robot.firmware ?? '') !== firmware) return false;
  if (search === '') return true;
  const text = search.toLowerCase();
  return robot.id.includes(text) || robot.name.toLowerCase().includes(text);
}

function noSuchCode(): ApiError {
  const sentence = 'code: no robot shows this code. A code is valid for 10 minutes and pairs one robot: look at the screen of the robot again.';
  return new ApiError('bad_argument', sentence, { field: 'code' });
}

/** @param now Redis ms */
export function robotViewOf(robot: OwnersRobot, now: number): ConsoleRobot {
  const { id, name, model, firmware, virtual, labels, settings, createdAt, online, lastSeenAt, batteryPct, showing, update } = robot;
  const seenAt = online ? now : lastSeenAt;
  const updates = robotUpdateStatus(firmware, update, now);
  return {
    id,
    name,
    online,
    model: model ?? '',
    firmware: firmware ?? '',
    virtual,
    labels,
    time_zone: settings.timeZone,
    volume_max: settings.volumeMax,
    quiet_hours: settings.quietHours,
    battery_pct: batteryPct,
    showing,
    last_seen: seenAt === null ? null : new Date(seenAt).toISOString(),
    created_at: new Date(createdAt).toISOString(),
    ...(updates && { update: updates }),
  };
}
