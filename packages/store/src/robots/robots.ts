/**
 * On a Cluster a robot's keys lie on three nodes. The record decides: a token is valid only while the record names its hash, and a robot belongs to
 * an account only while its record exists. Creation writes record, set, token; removal deletes record, token, set: a crash leaves a record in no
 * list, a robot without a token, or entries that refer to nothing. Both are on disk before the reply, as far as `durably` can know.
 */
import { labelsText, type Labels, type RobotSettings, type StoredRobotUpdate } from '@perch/schema';
import { refusalOf } from '../accounts/account-limits.js';
import { inDoubt, guarded } from '../redis/errors.js';
import { inTime } from '../redis/in-time.js';
import { isRobotId, newId, newSecret, sha256 } from '../redis/ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { robotsAtOnce } from './robot-ids.js';
import { holderOf, listKeys, recordOf, type Holder, type RobotRecord, settingsFields, settingsOf, storedSettings } from './robot-record.js';
import { RobotUpdates, storedUpdate } from './robot-updates.js';
import { scannedSet, slicesOf } from '../redis/scans.js';
import { storedPlaces } from '../accounts/account-storage.js';

export interface NewRobot {
  account: string;
  name?: string;
  serial?: string;
  model?: string;
  firmware?: string;
  virtual?: boolean;
  labels?: Labels;
  max?: number;
}

/** Robots that `createAll` creates concurrently, and between two waits for the disk. */
const madeAtOnce = 50;
const madeUntilOnDisk = 1000;

export class Robots {
  readonly #redis: Connections;
  readonly #removal: RobotRemoval;
  readonly updates: RobotUpdates;

  constructor(redis: Connections) {
    this.#redis = redis;
    this.#removal = new RobotRemoval(redis);
    this.updates = new RobotUpdates(redis);
  }

  /** The token can be read only here; a robot that is not returned does not exist. A serial that the account already has gets that robot, with a new token. */
  async create(options: {
    account: string;
    name?: string;
    serial?: string;
    virtual?: boolean;
    max?: number;
  }): Promise<{ robot: string; token: string; holder: Holder | null }> {
    const token = newSecret('rt_');
    const { robot, isNew } = await this.#ensure(options, sha256(token));
    if (isNew) return { robot, token, holder: null };
    const renewed = await this.renewToken(robot);
    if (renewed === null) throw new Error('the robot was removed while it was created');
    return { robot, ...renewed };
  }

  /** Returns the account's robot with this serial, else a new one without a token. `max`: as for API keys. @throws {StoreError} full */
  async ensure(options: NewRobot): Promise<string> {
    return (await this.#ensure(options, null)).robot;
  }

  async #ensure(options: NewRobot, tokenHash: string | null): Promise<{ robot: string; isNew: boolean }> {
    const { account, serial = '' } = options;
    const found = await this.#serialled(account, serial);
    if (found !== null && (await this.get(found))?.account === account) return { robot: found, isNew: false };
    const robot = newId('r');
    const keys = [robotKeys.record(robot), accountKeys.robots(account), ...(tokenHash === null ? [] : [sharedKeys.token(tokenHash)])];
    const bound = await this.#redis.durably(
      keys,
      () => this.#make(robot, options, { dangling: found, tokenHash }),
      () => this.#removal.drop(account, robot),
    );
    return { robot: bound, isNew: bound === robot };
  }

  /** `made` gets each robot and its index; all are on disk at the end. Returns serials that exist, without creating any. @throws {StoreError} full */
  async createAll(
    account: string,
    robots: readonly (NewRobot & { serial: string })[],
    made: (robot: { robot: string; token: string }, index: number) => void,
  ): Promise<string[]> {
    const taken: string[] = [];
    const planned = robots.map((wanted, index) => ({ wanted: { ...wanted, account }, index, id: { robot: newId('r'), token: newSecret('rt_') } }));
    for (const part of slicesOf(planned, madeUntilOnDisk)) {
      const keys = part.flatMap(({ id }) => [robotKeys.record(id.robot), sharedKeys.token(sha256(id.token))]);
      await this.#redis.durably([accountKeys.robots(account), ...keys], async () => {
        for (const slice of slicesOf(part, madeAtOnce)) {
          const outcomes = slice.map(async ({ wanted, index, id }) => {
            if (await this.#createNew(wanted, id.robot, id.token)) made(id, index);
            else taken.push(wanted.serial);
          });
          // Also after a failure: the caller must learn every token.
          await Promise.allSettled(outcomes);
          await Promise.all(outcomes);
        }
      });
    }
    return taken;
  }

  async #createNew(options: NewRobot & { serial: string }, robot: string, token: string): Promise<boolean> {
    const { account, serial } = options;
    const found = await this.#serialled(account, serial);
    if (found !== null && (await this.get(found))?.account === account) return false;
    try {
      return (await this.#make(robot, options, { dangling: found, tokenHash: sha256(token) })) === robot;
    } catch (error) {
      await this.#removal.drop(account, robot).catch(() => {});
      throw error;
    }
  }

  async bySerials(account: string, serials: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const slice of slicesOf(serials, robotsAtOnce)) {
      const robots = await guarded(() => this.#redis.commands.hmget(accountKeys.serials(account), ...slice));
      const isRobot = await this.#areOf(account, robots);
      for (const [i, robot] of robots.entries()) if (robot !== null && isRobot[i]!) found.set(slice[i]!, robot);
    }
    return found;
  }

  async bySerial(account: string, serial: string): Promise<string | null> {
    const found = await this.#serialled(account, serial);
    return found !== null && (await this.get(found))?.account === account ? found : null;
  }

  /** Revokes the token if it still has this hash; the robot stays with its account. @returns the session that held the robot with that token */
  async endToken(robot: string, tokenHash: string): Promise<Holder | null> {
    return this.#redis.durably([robotKeys.record(robot)], async () => {
      const lease = await this.#redis.script('robotEndToken', [robotKeys.record(robot), robotKeys.lease(robot)], [tokenHash]);
      await guarded(() => this.#redis.commands.unlink(sharedKeys.token(tokenHash)));
      return lease.length === 0 ? null : holderOf(...lease);
    });
  }

  async #serialled(account: string, serial: string): Promise<string | null> {
    return serial === '' ? null : guarded(() => this.#redis.commands.hget(accountKeys.serials(account), serial));
  }

  /** `dangling`: a removed robot that the serial may still name. Returns the robot, or one that got the serial first. @throws {StoreError} full */
  async #make(robot: string, options: NewRobot, { dangling, tokenHash }: { dangling: string | null; tokenHash: string | null }): Promise<string> {
    const { account, serial = '', labels = {}, max } = options;
    const values = {
      account,
      name: options.name ?? '',
      serial: serial === '' ? undefined : serial,
      model: options.model,
      firmware: options.firmware,
      virtual: options.virtual === true ? '1' : undefined,
      token_hash: tokenHash ?? undefined,
    };
    const fields = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
    await this.#redis.script('robotMake', [robotKeys.record(robot)], fields);
    // Left over from an interrupted removal. The id is not reused, because its event numbers were used.
    const bound = await inTime(
      this.#redis,
      'robotBind',
      [...listKeys(account), accountKeys.record(account)],
      [robot, serial, dangling ?? '', max ?? '', labelsText(labels)],
    );
    if (bound === robot) {
      await inDoubt(() =>
        guarded(async () => {
          if (tokenHash !== null) await this.#redis.commands.set(sharedKeys.token(tokenHash), robot);
          if ((await this.#redis.commands.hlen(accountKeys.webhooks(account))) > 0)
            await this.#redis.commands.hsetnx(robotKeys.log(robot), 'hooked', '0');
        }),
      );
      return robot;
    }
    await guarded(() => this.#redis.commands.unlink(robotKeys.record(robot)));
    const refusal = refusalOf(bound, 'robots', 'Remove one that is no longer used.');
    if (refusal !== null) throw refusal;
    return bound;
  }

  /** @returns index of the first id that is not a robot of the account; -1: none */
  async firstForeign(account: string, robots: readonly string[]): Promise<number> {
    return (await this.#areOf(account, robots)).indexOf(false);
  }

  async own(account: string, robots: readonly string[]): Promise<Set<string>> {
    const own = new Set<string>();
    for (const slice of slicesOf(robots, robotsAtOnce)) {
      const isOwn = await this.#areOf(account, slice);
      for (const [i, robot] of slice.entries()) if (isOwn[i]!) own.add(robot);
    }
    return own;
  }

  async #areOf(account: string, robots: readonly (string | null)[]): Promise<boolean[]> {
    const owners = await guarded(() =>
      Promise.all(
        robots.map(async (robot) => (robot !== null && isRobotId(robot) ? this.#redis.commands.hget(robotKeys.record(robot), 'account') : null)),
      ),
    );
    return owners.map((owner) => owner === account);
  }

  /** Oldest first, all records in memory: services list robots with `RobotList`. */
  async list(account: string): Promise<RobotRecord[]> {
    const records = new Map<string, RobotRecord>();
    for await (const ids of scannedSet(this.#redis, accountKeys.robots(account))) {
      for (const record of await Promise.all(ids.map((id) => this.get(id)))) if (record?.account === account) records.set(record.id, record);
    }
    return [...records.values()].toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  async get(robot: string): Promise<RobotRecord | null> {
    if (!isRobotId(robot)) return null;
    const hash = await guarded(() => this.#redis.commands.hgetall(robotKeys.record(robot)));
    return hash.account === undefined ? null : recordOf(robot, hash, this.#redis.forms);
  }

  async count(account: string): Promise<number> {
    return guarded(() => this.#redis.commands.scard(accountKeys.robots(account)));
  }

  /** Reads what the owner chooses. @returns an empty name and the default settings when the robot was removed */
  async chosenOf(robot: string): Promise<{ name: string; settings: RobotSettings; update: StoredRobotUpdate | null }> {
    const [name, update, ...settings] = await guarded(() => this.#redis.commands.hmget(robotKeys.record(robot), 'name', 'update', ...settingsFields));
    return { name: name ?? '', settings: settingsOf(settings), update: storedUpdate(update) };
  }

  async rename(account: string, robot: string, name: string): Promise<boolean> {
    return (await this.change(account, robot, { name })) !== 'unknown';
  }

  /**
   * Changes at least one of the name and the settings. @returns the session that holds the robot, whose instance must be told to read changed settings;
   * 'unknown': the account has no such robot
   */
  async change(
    account: string,
    robot: string,
    { name, ...settings }: Partial<RobotSettings> & { name?: string },
  ): Promise<Holder | null | 'unknown'> {
    if (!isRobotId(robot)) return 'unknown';
    const fields = [...(name === undefined ? [] : ['name', name]), ...storedSettings(settings)];
    const lease = await this.#redis.script('robotChange', [robotKeys.record(robot), robotKeys.lease(robot)], [account, ...fields]);
    return lease.length === 0 ? 'unknown' : holderOf(...lease);
  }

  /** @returns null when the token is unknown, replaced, or its robot was removed */
  async byToken(token: string): Promise<RobotRecord | null> {
    const tokenHash = sha256(token);
    const robot = await guarded(() => this.#redis.commands.get(sharedKeys.token(tokenHash)));
    const record = robot === null ? null : await this.get(robot);
    return record?.tokenHash === tokenHash ? record : null;
  }

  /** The old token no longer works when this resolves; a new one that is not returned has not replaced it, unless the outcome is unknown. @returns null when there is no such robot */
  async renewToken(robot: string): Promise<{ token: string; holder: Holder | null } | null> {
    const token = newSecret('rt_');
    const tokenHash = sha256(token);
    const undo = async (): Promise<void> => {
      // The end of the old token is not taken back.
      if ((await guarded(() => this.#redis.commands.hget(robotKeys.record(robot), 'token_hash'))) === tokenHash) throw new Error('it was replaced');
      await guarded(() => this.#redis.commands.unlink(sharedKeys.token(tokenHash)));
    };
    return this.#redis.durably([sharedKeys.token(tokenHash), robotKeys.record(robot)], () => this.#renewToken(robot, token, tokenHash), undo);
  }

  async #renewToken(robot: string, token: string, tokenHash: string): Promise<{ token: string; holder: Holder | null } | null> {
    // Until the record names its hash, the new token is not valid.
    await guarded(() => this.#redis.commands.set(sharedKeys.token(tokenHash), robot));
    const reply = await inTime(this.#redis, 'robotToken', [robotKeys.record(robot), robotKeys.lease(robot)], [tokenHash]);
    const [dead, ...lease] = reply.length === 0 ? [tokenHash] : reply;
    if (dead !== '') await inDoubt(() => guarded(() => this.#redis.commands.unlink(sharedKeys.token(dead))));
    return lease.length === 0 ? null : { token, holder: holderOf(...lease) };
  }

  remove(account: string, robot: string): ReturnType<RobotRemoval['remove']> {
    return this.#removal.remove(account, robot);
  }

  removeListed(account: string, robots: readonly string[]): ReturnType<RobotRemoval['removeListed']> {
    return this.#removal.removeListed(account, robots);
  }
}

const removedOutcome = JSON.stringify({ outcome: 'failed', code: 'unknown_robot', error: 'The robot was removed.' });

class RobotRemoval {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Its open wait ends as failed. @returns the session that held it, which the caller must have closed; 'unknown': no such robot of the account */
  async remove(account: string, robot: string): Promise<{ holder: Holder | null } | 'unknown'> {
    if (!isRobotId(robot)) return 'unknown';
    return this.#redis.durably([robotKeys.record(robot)], () => this.drop(account, robot));
  }

  /** As `remove`, without waiting for the disk. */
  async drop(account: string, robot: string): Promise<{ holder: Holder | null } | 'unknown'> {
    const removed = await this.#remove(account, robot);
    // Also without a record: clears what an interrupted removal left in the set.
    const keys = [...listKeys(account), accountKeys.screens(account, robot)] as const;
    const listed = await this.#redis.script('robotUnbind', keys, [robot, removed?.serial ?? '']);
    const stored = [storedPlaces.events, storedPlaces.calls, storedPlaces.card, storedPlaces.screens].map((place) => place(robot));
    await guarded(() => this.#redis.commands.hdel(accountKeys.stored(account), ...stored));
    return removed === null && listed === 0 ? 'unknown' : { holder: removed?.holder ?? null };
  }

  /** Removes robots of an account being removed; ids stay in its set for a repeat. Returns also token keys, which a creation may still write. */
  async removeListed(account: string, robots: readonly string[]): Promise<{ robot: string; holder: Holder | null; tokenKey: string | null }[]> {
    const keys = robots.map((robot) => robotKeys.record(robot));
    return this.#redis.durably(keys, async () => {
      const removed = await Promise.all(
        robots.map(async (robot) => {
          // Before the record, which alone names the token's key.
          const tokenHash = await guarded(() => this.#redis.commands.hget(robotKeys.record(robot), 'token_hash'));
          const tokenKey = tokenHash === null ? null : sharedKeys.token(tokenHash);
          if (tokenKey !== null) await guarded(() => this.#redis.commands.unlink(tokenKey));
          return { removed: await this.#remove(account, robot), tokenKey };
        }),
      );
      return removed.flatMap(({ removed: one, tokenKey }, i) => (one === null ? [] : [{ robot: robots[i]!, holder: one.holder, tokenKey }]));
    });
  }

  async #remove(account: string, robot: string): Promise<{ holder: Holder | null; serial: string } | null> {
    const {
      record,
      lease,
      waitHead,
      wait,
      waitsChannel,
      guests,
      detachedWaits,
      drawnWaits,
      queue,
      queueEntries,
      log,
      events,
      eventsChannel,
      saved,
      playing,
      card,
      countdown,
      lines,
      shareLinks,
    } = robotKeys;
    const others = [drawnWaits, queueEntries, log, events, saved, playing, card, countdown, lines, shareLinks].map((key) => key(robot));
    const keys = [record(robot), lease(robot), waitHead(robot), guests(robot), detachedWaits(robot), queue(robot), ...others] as const;
    const reply = await this.#redis.script('robotRemove', keys, [
      account,
      wait(robot, ''),
      removedOutcome,
      this.#redis.publishCommand,
      waitsChannel(robot),
      eventsChannel(robot),
    ]);
    if (reply.length === 0) return null;
    const [tokenHash, serial, state, instance, session, guestAccounts] = reply;
    await guarded(() => Promise.all(guestAccounts.map((guest) => this.#redis.commands.zrem(accountKeys.shared(guest), robot))));
    if (tokenHash !== '') await guarded(() => this.#redis.commands.unlink(sharedKeys.token(tokenHash)));
    return { holder: holderOf(state, instance, session), serial };
  }
}
