/**
 * People of other accounts with whom the owner shares a robot. The robot's `guests` decide, so that each call of a guest reads one field, and removing
 * the robot or the person ends the access at once. An account's list of such robots is written before and removed after it, so that a crash leaves an
 * entry without access, never access without an entry. A share link names its robot, since all its keys have the robot's tag.
 */
import { sharingLimits, type SharePermission } from '@perch/schema';
import { accountRemoved } from '../accounts/account-limits.js';
import { StoreError, guarded } from '../redis/errors.js';
import { isRobotId, newSecret, sha256Short } from '../redis/ids.js';
import { accountKeys, robotKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { inTime, redisTimeMs } from '../redis/in-time.js';

export interface ShareLink {
  /** Hash of the token, which it does not reveal. */
  id: string;
  permission: SharePermission;
  /** Redis ms. */
  expiresAt: number;
}

const { peopleMax, robotsMax, linkDays } = sharingLimits;
const linkLifeMs = linkDays * 86_400_000;
const tokenShape = /^pg_([0-9a-z]{10})[\w-]{43}$/;

export class Guests {
  readonly #redis: Connections;
  readonly #shared: SharedRobots;

  constructor(redis: Connections, shared: SharedRobots) {
    this.#redis = redis;
    this.#shared = shared;
  }

  /** Returns null if the robot is not shared with the account. Does not check that the robot exists: see `robotKeys.guests`. */
  async find(robot: string, account: string): Promise<Guest | null> {
    const entry = await guarded(() => this.#redis.commands.hget(robotKeys.guests(robot), account));
    return entry === null ? null : guestOf(account, entry);
  }

  async stillHave(passes: readonly GuestPass[]): Promise<boolean[]> {
    const guests = await Promise.all(passes.map(({ robot, account }) => this.find(robot, account)));
    return guests.map((guest, i) => guest !== null && allows(guest.permission, passes[i]!.needs));
  }

  /** Oldest first. @param now Redis ms */
  async of(robot: string, now: number): Promise<{ guests: Guest[]; links: ShareLink[] }> {
    const { commands } = this.#redis;
    const [guests, links] = await guarded(() =>
      Promise.all([commands.hgetall(robotKeys.guests(robot)), commands.hgetall(robotKeys.shareLinks(robot))]),
    );
    return {
      guests: Object.entries(guests)
        .map(([account, entry]) => guestOf(account, entry))
        .toSorted((a, b) => a.since - b.since || (a.account < b.account ? -1 : 1)),
      links: Object.entries(links)
        .map(([id, entry]) => linkOf(id, entry))
        .filter(({ expiresAt }) => expiresAt > now)
        .toSorted((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1)),
    };
  }

  /** The token can be read only here; a link that is not returned does not exist. @returns null when the account has no such robot @throws {StoreError} full */
  async makeLink(account: string, robot: string, permission: SharePermission): Promise<{ link: ShareLink; token: string } | null> {
    if (!isRobotId(robot)) return null;
    const token = `pg_${robot.slice(2)}${newSecret('')}`;
    const id = sha256Short(token);
    const keys = sharingKeys(robot);
    const made = await this.#redis.durably(
      [keys[0]],
      () => inTime(this.#redis, 'shareLinkMake', keys, [account, id, permission, linkLifeMs, peopleMax]),
      () => guarded(() => this.#redis.commands.hdel(robotKeys.shareLinks(robot), id)),
    );
    if (made === -1)
      throw new StoreError('full', `A robot is shared with at most ${peopleMax} people, open links included. Remove a person or a link first.`);
    return made === 0 ? null : { link: { id, permission, expiresAt: made }, token };
  }

  /** @returns whether there was such a link of the account's robot */
  async removeLink(account: string, robot: string, id: string): Promise<boolean> {
    if (!isRobotId(robot)) return false;
    const { commands } = this.#redis;
    const key = robotKeys.shareLinks(robot);
    return this.#redis.durably([key], () =>
      guarded(async () => (await commands.hget(robotKeys.record(robot), 'account')) === account && (await commands.hdel(key, id)) === 1),
    );
  }

  /** Returns what a link offers; null when it is unknown, used or expired. @param now Redis ms */
  async offerOf(token: string, now: number): Promise<{ robot: string; permission: SharePermission } | null> {
    const robot = robotOf(token);
    if (robot === null) return null;
    const id = sha256Short(token);
    const entry = await guarded(() => this.#redis.commands.hget(robotKeys.shareLinks(robot), id));
    const link = entry === null ? null : linkOf(id, entry);
    return link === null || link.expiresAt <= now ? null : { robot, permission: link.permission };
  }

  /**
   * Uses up the link. @returns null when the link is unknown, used or expired; `own` when the robot is the account's own, whose link stays
   * @throws {StoreError} full
   */
  async accept(token: string, { id: account, email }: { id: string; email: string }): Promise<{ robot: string; owner: string; own: boolean } | null> {
    const robot = robotOf(token);
    if (robot === null) return null;
    const id = sha256Short(token);
    // A token that someone made up lists no robot.
    if ((await guarded(() => this.#redis.commands.hexists(robotKeys.shareLinks(robot), id))) === 0) return null;
    const keys = sharingKeys(robot);
    return this.#redis.durably([keys[0], accountKeys.shared(account)], async () => {
      const listed = await this.#shared.add(account, robot);
      if (listed === 'removing') throw accountRemoved();
      if (listed === 'full')
        throw new StoreError('full', `At most ${robotsMax} robots of other accounts can be shared with an account. Give one up first.`);
      const [owner, permission]: readonly string[] = await this.#redis.script('shareAccept', keys, [id, account, email]);
      // The owner may have removed the person meanwhile, and with them the entry in the list.
      if (permission !== undefined) await this.#shared.add(account, robot);
      else if ((await this.find(robot, account)) === null) await this.#shared.remove(account, robot);
      return owner === undefined ? null : { robot, owner, own: permission === undefined };
    });
  }

  /** @returns the person; null when it is not the account's robot, or not shared with the person */
  async change(account: string, robot: string, person: string, permission: SharePermission): Promise<Guest | null> {
    return this.#change(account, robot, person, permission);
  }

  /** Calls of the person end within a second. @returns as `change` */
  async remove(account: string, robot: string, person: string): Promise<Guest | null> {
    const removed = await this.#change(account, robot, person, '');
    if (removed !== null) await this.#shared.remove(person, robot);
    return removed;
  }

  async #change(account: string, robot: string, person: string, permission: SharePermission | ''): Promise<Guest | null> {
    if (!isRobotId(robot)) return null;
    const keys = [robotKeys.record(robot), robotKeys.guests(robot)] as const;
    const entry = await this.#redis.durably([keys[1]], () => this.#redis.script('guestChange', keys, [account, person, permission]));
    return entry === '' ? null : guestOf(person, entry);
  }
}

export function allows(has: SharePermission, needs: SharePermission): boolean {
  return has === 'use' || needs === 'watch';
}

function linkOf(id: string, entry: string): ShareLink {
  const [permission = '', expiresAt] = entry.split(' ');
  return { id, permission: permissionOf(permission), expiresAt: Number(expiresAt) };
}

function robotOf(token: string): string | null {
  const part = tokenShape.exec(token)?.[1];
  return part === undefined ? null : `r-${part}`;
}

function sharingKeys(robot: string): readonly [string, string, string] {
  return [robotKeys.record(robot), robotKeys.guests(robot), robotKeys.shareLinks(robot)];
}

/** The list of the robots of other accounts that are shared with an account. An entry counts only if the robot's `guests` have the account. */
export interface SharedRobot extends Pick<Guest, 'permission' | 'since'> {
  robot: string;
  owner: string;
}

/** Longer than it takes to accept a link, which lists the robot first. */
const unclaimedMs = 60_000;

export class SharedRobots {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Oldest first. Drops entries that grant nothing: a crash, or an instance of 0.9.0 that removed the robot, left them. */
  async with(account: string): Promise<SharedRobot[]> {
    const { commands } = this.#redis;
    const listed = await guarded(() => commands.zrange(accountKeys.shared(account), '0', '-1', 'WITHSCORES'));
    if (listed.length === 0) return [];
    // Alternates the robot and since when it is listed.
    const robots = listed.filter((_, i) => i % 2 === 0);
    const found = await guarded(() =>
      Promise.all(
        robots.map((robot) => Promise.all([commands.hget(robotKeys.record(robot), 'account'), commands.hget(robotKeys.guests(robot), account)])),
      ),
    );
    const shared: SharedRobot[] = [];
    const unclaimed: { robot: string; at: number }[] = [];
    for (const [i, robot] of robots.entries()) {
      const [owner, entry] = found[i]!;
      if (owner === null || entry === null) unclaimed.push({ robot, at: Number(listed[2 * i + 1]) });
      else {
        const { permission, since } = guestOf(account, entry);
        shared.push({ robot, owner, permission, since });
      }
    }
    if (unclaimed.length > 0) await this.#drop(account, unclaimed);
    return shared;
  }

  async add(account: string, robot: string): Promise<'added' | 'full' | 'removing'> {
    const keys = [accountKeys.shared(account), accountKeys.record(account)] as const;
    const listed = await this.#redis.script('sharedList', keys, [robot, sharingLimits.robotsMax]);
    return listed === 1 ? 'added' : listed === 0 ? 'full' : 'removing';
  }

  async remove(account: string, robot: string): Promise<void> {
    await guarded(() => this.#redis.commands.zrem(accountKeys.shared(account), robot));
  }

  async #drop(account: string, unclaimed: readonly { robot: string; at: number }[]): Promise<void> {
    const now = await guarded(() => redisTimeMs(this.#redis));
    const old = unclaimed.filter(({ at }) => at < now - unclaimedMs).map(({ robot }) => robot);
    if (old.length > 0) await guarded(() => this.#redis.commands.zrem(accountKeys.shared(account), ...old));
  }
}

export interface Guest {
  account: string;
  /** As it was when the link was accepted. */
  email: string;
  permission: SharePermission;
  /** Redis ms. */
  since: number;
}

/** By which a call of a guest is admitted. */
export interface GuestPass {
  robot: string;
  account: string;
  email: string;
  /** Permission that the call needs: the call ends once the guest no longer has it. */
  needs: SharePermission;
}

/** @param entry value of `robotKeys.guests` */
function guestOf(account: string, entry: string): Guest {
  const [permission = '', since = '', ...email] = entry.split(' ');
  return { account, permission: permissionOf(permission), since: Number(since), email: email.join(' ') };
}

/** Whatever a later release may write allows no more than to watch. */
function permissionOf(text: string): SharePermission {
  return text === 'use' ? 'use' : 'watch';
}
