/**
 * Robots: to whom a robot belongs, what it said it is, and the token it dials in with.
 *
 * A robot lies on three nodes of a Cluster: its record, its account's set and serials, its token. No step spans two of them, so the order
 * decides what a crash leaves. The record is the truth: a token counts only while the record names its hash, a robot is an account's only
 * while its record exists. Made: record, set, token (a crash leaves a record in no list, or a robot without a token).
 * Removed: record, token, set (a crash leaves a token and a list entry that lead nowhere).
 * What is answered as made or removed is on disk, as far as `durably` goes.
 */
import type { Boot } from '@perch/schema';
import { storedPlaces } from './account-storage.js';
import { inDoubt, StoreError } from './errors.js';
import { guarded } from './guarded.js';
import { isRobotId, newId, newSecret, sha256 } from './ids.js';
import { accountKeys, robotKeys, sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

/** A robot as it is stored. What its last hello said is null or empty until it has connected once. */
export interface RobotRecord {
  id: string;
  account: string;
  name: string;
  /** Redis ms. */
  createdAt: number;
  serial: string | null;
  /** SHA-256 of its token; null for a robot whose pairing was approved but not fetched yet. */
  tokenHash: string | null;
  model: string | null;
  firmware: string | null;
  /** Whether it was made as one in software. */
  virtual: boolean;
  hello: RobotHello;
}

/** What gateways need of a robot's hello; `commands` as the robot declared them, the `system` ones included. */
export interface RobotHello {
  features: string[];
  commands: Record<string, unknown>[];
  screen: { w: number; h: number; formats: ('jpeg' | 'png')[]; max_bytes: number } | null;
  audio: { formats: string[]; rates: number[]; buffer_bytes: number; max_part_bytes: number } | null;
  /** Why it started, where its hello says. */
  boot: Boot | null;
}

/** The session that held a robot when its token died: tell its instance to close it with 4003. */
export interface Holder {
  instance: string;
  session: string;
}

export interface NewRobot {
  account: string;
  name?: string;
  serial?: string;
  model?: string;
  firmware?: string;
  virtual?: boolean;
  max?: number;
}

const removedOutcome = JSON.stringify({ outcome: 'failed', code: 'unknown_robot', error: 'The robot was removed.' });

export class Robots {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Makes a robot with its token, which can be read only here. A serial the account knows already: the same robot, with a new token. */
  async create(options: {
    account: string;
    name?: string;
    serial?: string;
    virtual?: boolean;
    max?: number;
  }): Promise<{ robot: string; token: string; holder: Holder | null }> {
    const robot = await this.ensure(options);
    const renewed = await inDoubt(() => this.renewToken(robot));
    if (renewed === null) throw new Error('the robot was removed while it was made');
    return { robot, ...renewed };
  }

  /**
   * Returns the account's robot with this serial, created without a token if there is none; without a serial always a new one.
   * @param options.max robots the account may have, this one included; if unset, any number (the operator's CLI)
   * @throws {StoreError} full, when a robot would have to be created and the account has `max`
   */
  async ensure(options: NewRobot): Promise<string> {
    const { account, serial = '', max } = options;
    const found = await this.#serialled(account, serial);
    if (found !== null && (await this.get(found))?.account === account) return found;

    const robot = newId('r');
    const said = {
      account,
      name: options.name ?? '',
      serial: serial === '' ? undefined : serial,
      model: options.model,
      firmware: options.firmware,
      virtual: options.virtual === true ? '1' : undefined,
    };
    const made = await this.#redis.durably([robotKeys.record(robot), accountKeys.robots(account)], () => this.#make(robot, said, found, max));
    if (made === '') throw new StoreError('full', `An account holds at most ${max} robots. Remove one that is no longer used.`);
    return made;
  }

  /** The account's robot with this serial, or null. */
  async bySerial(account: string, serial: string): Promise<string | null> {
    const found = await this.#serialled(account, serial);
    return found !== null && (await this.get(found))?.account === account ? found : null;
  }

  /** Ends a robot's token if it is still the one of this hash. The robot stays with its account. @returns who held the robot under that token */
  async endToken(robot: string, tokenHash: string): Promise<Holder | null> {
    return this.#redis.durably([robotKeys.record(robot)], async () => {
      const [state = '', instance = '', session = ''] = (await this.#redis.script(
        'robotEndToken',
        [robotKeys.record(robot), robotKeys.lease(robot)],
        [tokenHash],
      )) as string[];
      await guarded(() => this.#redis.commands.unlink(sharedKeys.token(tokenHash)));
      return holderOf(state, instance, session);
    });
  }

  async #serialled(account: string, serial: string): Promise<string | null> {
    return serial === '' ? null : guarded(() => this.#redis.commands.hget(accountKeys.serials(account), serial));
  }

  /** @param dangling a robot without a record that the serial may still name, or null @returns '' when the account has `max` robots */
  async #make(
    robot: string,
    said: { account: string; serial: string | undefined } & Record<string, string | undefined>,
    dangling: string | null,
    max: number | undefined,
  ): Promise<string> {
    const { account, serial = '' } = said;
    const fields = Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
    await this.#redis.script('robotMake', [robotKeys.record(robot)], fields);
    // A serial whose robot has no record is left from a removal that was cut off. Its id is not used again: its event numbers were.
    const listed = [accountKeys.robots(account), accountKeys.serials(account)];
    const bound = await this.#redis.script('robotBind', listed, [robot, serial, dangling ?? '', max ?? '']);
    if (bound === robot) {
      // A webhook for all of the account's robots is for this one, too.
      if ((await guarded(() => this.#redis.commands.hlen(accountKeys.webhooks(account)))) > 0)
        await guarded(() => this.#redis.commands.hsetnx(robotKeys.log(robot), 'hooked', '0'));
      return robot;
    }
    await guarded(() => this.#redis.commands.unlink(robotKeys.record(robot)));
    return bound as string;
  }

  /** The account's robots, oldest first. */
  async list(account: string): Promise<RobotRecord[]> {
    const ids = await guarded(() => this.#redis.commands.smembers(accountKeys.robots(account)));
    const records = await Promise.all(ids.map((id) => this.get(id)));
    return records
      .filter((record) => record !== null && record.account === account)
      .map((record) => record!)
      .toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  async get(robot: string): Promise<RobotRecord | null> {
    if (!isRobotId(robot)) return null;
    const hash = await guarded(() => this.#redis.commands.hgetall(robotKeys.record(robot)));
    return hash.account === undefined ? null : recordOf(robot, hash);
  }

  /** How many robots the account has. */
  async count(account: string): Promise<number> {
    return guarded(() => this.#redis.commands.scard(accountKeys.robots(account)));
  }

  /** What the robot's owner calls it; empty where it was given no name, or was removed. */
  async nameOf(robot: string): Promise<string> {
    return (await guarded(() => this.#redis.commands.hget(robotKeys.record(robot), 'name'))) ?? '';
  }

  /** @returns false when the account has no such robot */
  async rename(account: string, robot: string, name: string): Promise<boolean> {
    return isRobotId(robot) && (await this.#redis.script('robotRename', [robotKeys.record(robot)], [account, name])) === 1;
  }

  /** The robot that this token opens; null when the token is unknown, replaced, or its robot removed. */
  async byToken(token: string): Promise<RobotRecord | null> {
    const tokenHash = sha256(token);
    const robot = await guarded(() => this.#redis.commands.get(sharedKeys.token(tokenHash)));
    const record = robot === null ? null : await this.get(robot);
    return record?.tokenHash === tokenHash ? record : null;
  }

  /**
   * Gives a robot a new token; the old one is dead when this resolves.
   * @returns null when there is no such robot
   */
  async renewToken(robot: string): Promise<{ token: string; holder: Holder | null } | null> {
    const token = newSecret('rt_');
    const tokenHash = sha256(token);
    return this.#redis.durably([sharedKeys.token(tokenHash), robotKeys.record(robot)], () => this.#renewToken(robot, token, tokenHash));
  }

  async #renewToken(robot: string, token: string, tokenHash: string): Promise<{ token: string; holder: Holder | null } | null> {
    // Before the record names it the token leads to a robot that does not know it, and opens nothing.
    await guarded(() => this.#redis.commands.set(sharedKeys.token(tokenHash), robot));
    const reply = (await this.#redis.script('robotToken', [robotKeys.record(robot), robotKeys.lease(robot)], [tokenHash])) as string[];
    const [old, state, instance, session] = reply;
    const dead = old === undefined ? tokenHash : old;
    if (dead !== '') await guarded(() => this.#redis.commands.unlink(sharedKeys.token(dead)));
    return old === undefined ? null : { token, holder: holderOf(state!, instance!, session!) };
  }

  /**
   * Removes a robot: no token opens it any more, what was kept about it is gone, its open wait ends as failed.
   * @returns who held it (the caller tells that instance to close the session), or 'unknown' when the account has no such robot
   */
  async remove(account: string, robot: string): Promise<{ holder: Holder | null } | 'unknown'> {
    return isRobotId(robot) ? this.#redis.durably([robotKeys.record(robot)], () => this.#remove(account, robot)) : 'unknown';
  }

  async #remove(account: string, robot: string): Promise<{ holder: Holder | null } | 'unknown'> {
    const { record, lease, waitHead, wait, waitsChannel, log, events, eventsChannel, saved, playing, lines } = robotKeys;
    const keys = [record, lease, waitHead, log, events, saved, playing, lines].map((key) => key(robot));
    const reply = (await this.#redis.script('robotRemove', keys, [
      account,
      wait(robot, ''),
      removedOutcome,
      this.#redis.publishCommand,
      waitsChannel(robot),
      eventsChannel(robot),
    ])) as string[];
    const [tokenHash, serial, state, instance, session] = reply;
    if (tokenHash !== undefined && tokenHash !== '') await guarded(() => this.#redis.commands.unlink(sharedKeys.token(tokenHash)));
    // Also where there is no record: what a removal that was cut off left in the set goes with the next one.
    const listed = await this.#redis.script('robotUnbind', [accountKeys.robots(account), accountKeys.serials(account)], [robot, serial ?? '']);
    const stored = [storedPlaces.events(robot), storedPlaces.calls(robot)];
    await guarded(() => this.#redis.commands.hdel(accountKeys.stored(account), ...stored));
    if (tokenHash === undefined && listed === 0) return 'unknown';
    return { holder: holderOf(state ?? '', instance ?? '', session ?? '') };
  }
}

function holderOf(state: string, instance: string, session: string): Holder | null {
  return state === 'held' ? { instance, session } : null;
}

function recordOf(id: string, hash: Record<string, string>): RobotRecord {
  const said = (hash.hello === undefined ? {} : JSON.parse(hash.hello)) as Partial<RobotHello>;
  return {
    id,
    account: hash.account!,
    name: hash.name ?? '',
    createdAt: Number(hash.created_at),
    serial: hash.serial ?? null,
    tokenHash: hash.token_hash ?? null,
    model: hash.model ?? null,
    firmware: hash.firmware ?? null,
    virtual: hash.virtual === '1',
    hello: {
      features: said.features ?? [],
      commands: said.commands ?? [],
      screen: said.screen ?? null,
      audio: said.audio ?? null,
      boot: said.boot ?? null,
    },
  };
}
