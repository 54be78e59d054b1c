/**
 * Ends what an account, a key or a guest leaves behind: for each reason the lines of the inventory that it ends, credentials first, then what was asked
 * with them. Each part may be repeated, so that after an error the whole is. A call that was admitted before may still make something; whoever admits it
 * checks its credential after the write, and undoes it.
 */
import type { WaitOutcome } from '@perch/schema';
import type { Devices, Sessions } from '../auth/sessions.js';
import type { Passkeys } from '../auth/passkeys.js';
import type { SignInLinks } from '../auth/one-time-tokens.js';
import type { DetachedWaits } from '../calls/detached-waits.js';
import type { Queue } from '../calls/queue.js';
import type { Waits } from '../calls/waits.js';
import type { Guest, Guests, SharedRobots } from '../guests/guests.js';
import { isRobotId } from '../redis/ids.js';
import { accountKeys, robotKeys } from '../redis/keys.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { LinkMailbox } from '../messaging/messaging.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';
import { scannedSet, slicesOf } from '../redis/scans.js';
import type { WebhookRecord, Webhooks } from '../webhooks/webhooks.js';
import { endsOn, type InventoryKind } from './inventory.js';

const robotsAtOnce = 100;
const cancelled: WaitOutcome = { outcome: 'cancelled' };

/** The part of the account's sign-ins that one browser keeps. */
export interface KeptBrowser {
  /** Hash of its session; null: none. */
  session: string | null;
  /** Secrets of its device cookie. */
  devices: readonly string[];
}

/** A key that was revoked before may be named again: its webhooks are found, and removed if wanted. */
interface KeyRevoked {
  reason: 'key_revoked';
  account: string;
  key: string;
  removeWebhooks: boolean;
}

export type Ending =
  | KeyRevoked
  /** @property watch whether the person may go on watching */
  | { reason: 'sharing_ended'; account: string; robot: string; guest: string; watch?: boolean }
  | { reason: 'signed_out' | 'password_changed' | 'password_reset' | 'address_proven'; account: string; kept?: KeptBrowser }
  | { reason: 'account_removed'; account: string };

export interface Ended {
  /** How many of each kind; absent: the reason leaves it, or it ends by itself. */
  counts: Partial<Record<InventoryKind, number>>;
  /** Those that the revoked key created, oldest first, whether or not they were removed. */
  webhooks: WebhookRecord[];
  /** With whom the robot is shared no longer, or to watch only. */
  guest: Guest | null;
}

export interface EndingsOptions {
  redis: Connections;
  sessions: Sessions;
  devices: Devices;
  signInLinks: SignInLinks;
  passkeys: Passkeys;
  apiKeys: ApiKeys;
  webhooks: Webhooks;
  guests: Guests;
  sharedRobots: SharedRobots;
  waits: Waits;
  detachedWaits: DetachedWaits;
  queue: Queue;
  linkMailbox: LinkMailbox;
}

/** Whose questions end, and on which robots. */
interface Askers {
  /** Null: of all of the account's robots. */
  robots: readonly string[] | null;
  /** Null: everybody. */
  owners: ReadonlySet<string> | null;
  /** For entries of 0.10.x, which name no owner. */
  keyHashes: ReadonlySet<string>;
}

interface Work {
  ending: Ending;
  askers: Askers;
  ended: Ended;
}

export class Endings {
  readonly #options: EndingsOptions;
  readonly #ways: Record<InventoryKind, (work: Work) => Promise<number> | null>;

  constructor(options: EndingsOptions) {
    this.#options = options;
    const { sessions, devices, signInLinks, passkeys } = options;
    this.#ways = {
      // Before the sign-ins that are checked against them.
      passkey: ({ ending }) => passkeys.removeAll(ending.account),
      sign_in_link: ({ ending }) => signInLinks.endAllOf(ending.account),
      sign_in: ({ ending }) => sessions.endAll(ending.account, keptOf(ending).session),
      device: ({ ending }) => devices.revokeAll(ending.account, keptOf(ending).devices),
      key: (work) => this.#endKeys(work, 'keys'),
      grant: (work) => this.#endKeys(work, 'grants'),
      webhook: (work) => this.#endWebhooks(work),
      share_link: ({ ending }) => this.#endShareLinks(ending.account),
      guest: (work) => this.#endGuests(work),
      detached_wait: (work) => this.#endWaits(work),
      queue_entry: (work) => this.#endQueued(work),
      // They name the password that they replace, and verify nothing that is verified.
      reset_link: () => null,
      verification_link: () => null,
      // Their gateways check key, session and sharing twice a second.
      open_call: () => null,
      // By the passes of the account's removal.
      robot: () => null,
      shared_robot: () => null,
    };
  }

  async end(ending: Ending): Promise<Ended> {
    const work: Work = { ending, askers: await this.#askersOf(ending), ended: { counts: {}, webhooks: [], guest: null } };
    const { counts } = work.ended;
    for (const kind of Object.keys(this.#ways) as InventoryKind[]) {
      if (!endsOn(kind, ending.reason) && !(kind === 'webhook' && ending.reason === 'key_revoked')) continue;
      const count = await this.#ways[kind](work);
      if (count !== null) counts[kind] = count;
    }
    return work.ended;
  }

  /**
   * Returns how long the owner of a question still lasts, ms: Infinity if nothing says when it ends, 0 if it has ended, because it expired, a release before
   * 0.11 revoked it, or its instance died between two steps.
   */
  async lifeOf(account: string, robot: string, owner: string): Promise<number> {
    if (owner === account) return Infinity;
    const { apiKeys, guests } = this.#options;
    if (owner.startsWith('a-')) return (await guests.find(robot, owner))?.permission === 'use' ? Infinity : 0;
    // A key that expired stays listed for a while, a grant beyond its access tokens.
    return apiKeys.lifeOf(await apiKeys.hashesOf(account, owner));
  }

  async #askersOf(ending: Ending): Promise<Askers> {
    const { apiKeys, sharedRobots } = this.#options;
    const { account } = ending;
    const none: ReadonlySet<string> = new Set();
    switch (ending.reason) {
      case 'key_revoked':
        return { robots: null, owners: new Set([ending.key]), keyHashes: new Set(await apiKeys.hashesOf(account, ending.key)) };
      case 'sharing_ended':
        return { robots: [ending.robot], owners: new Set([ending.guest]), keyHashes: none };
      case 'password_reset': {
        const grants = (await apiKeys.list(account)).filter(({ client }) => client !== undefined).map(({ id }) => id);
        const hashes = await Promise.all(grants.map((id) => apiKeys.hashesOf(account, id)));
        return { robots: null, owners: new Set(grants), keyHashes: new Set(hashes.flat()) };
      }
      case 'account_removed':
        // Those on its own robots end with the robots.
        return { robots: (await sharedRobots.with(account)).map(({ robot }) => robot), owners: new Set([account]), keyHashes: none };
      default:
        return { robots: null, owners: null, keyHashes: none };
    }
  }

  async #endKeys({ ending, askers }: Work, which: 'keys' | 'grants'): Promise<number> {
    const { apiKeys } = this.#options;
    const { account } = ending;
    if (ending.reason !== 'key_revoked') return apiKeys.revokeAll(account, which, ending.reason === 'account_removed' ? 'stays' : 'ends');
    if (which === 'grants' || askers.keyHashes.size === 0) return 0;
    // Before, so that a repetition after an error finds them.
    await this.#noteRevoked(ending, askers);
    return (await apiKeys.revoke(account, ending.key)) ? 1 : 0;
  }

  /** @returns the webhooks that the key created. Errors of the note are ignored: a full Redis refuses it, but not the end of the key. */
  async #noteRevoked({ account, key }: KeyRevoked, { keyHashes }: Askers): Promise<WebhookRecord[]> {
    const { webhooks } = this.#options;
    const own = (await webhooks.list(account)).filter(({ keyHash = '', revokedKey }) => keyHashes.has(keyHash) || revokedKey === key);
    for (const { id } of own) await webhooks.noteRevoked(account, id, key).catch(() => {});
    return own;
  }

  async #endWebhooks({ ending, askers, ended }: Work): Promise<number> {
    const { webhooks } = this.#options;
    const { account } = ending;
    const isKey = ending.reason === 'key_revoked';
    // Those too that a call made while the key was being revoked.
    const own = isKey ? await this.#noteRevoked(ending, askers) : await webhooks.list(account);
    if (isKey) ended.webhooks = own;
    if (isKey && !ending.removeWebhooks) return 0;
    let count = 0;
    for (const { id } of own) count += (await webhooks.remove(account, id)) ? 1 : 0;
    return count;
  }

  async #endShareLinks(account: string): Promise<number> {
    const { redis } = this.#options;
    let count = 0;
    for await (const robots of this.#robotsOf(account)) {
      const keys = robots.map((robot) => robotKeys.shareLinks(robot));
      count += await redis.durably(keys, async () => {
        const found = await guarded(() => Promise.all(keys.map((key) => redis.commands.hlen(key))));
        await guarded(() => Promise.all(keys.map((key) => redis.commands.unlink(key))));
        return found.reduce((sum, one) => sum + one, 0);
      });
    }
    return count;
  }

  async #endGuests({ ending, ended }: Work): Promise<number> {
    const { guests, redis } = this.#options;
    const { account } = ending;
    if (ending.reason === 'sharing_ended') {
      const { robot, guest, watch } = ending;
      ended.guest = watch === true ? await guests.change(account, robot, guest, 'watch') : await guests.remove(account, robot, guest);
      return ended.guest === null ? 0 : 1;
    }
    let count = 0;
    for await (const robots of this.#robotsOf(account)) {
      const people = await guarded(() => Promise.all(robots.map((robot) => redis.commands.hkeys(robotKeys.guests(robot)))));
      for (const [i, robot] of robots.entries())
        for (const person of people[i]!) count += (await guests.remove(account, robot, person)) === null ? 0 : 1;
    }
    return count;
  }

  async #endWaits({ ending, askers }: Work): Promise<number> {
    const { waits } = this.#options;
    let count = 0;
    for await (const robots of this.#robotsOf(ending.account, askers.robots)) {
      const numbers = await Promise.all(robots.map((robot) => waits.detachedNumbers(robot)));
      for (const [i, robot] of robots.entries())
        for (const number of numbers[i]!) {
          const state = await waits.read(robot, number);
          if (state?.detached === undefined || state.outcome !== null || !asked(askers, state.detached.owner)) continue;
          await this.#cancel(robot, state.record.number);
          count++;
        }
    }
    return count;
  }

  /** @returns whether it was open; its picture leaves the robot's screen */
  async #cancel(robot: string, number: number): Promise<boolean> {
    const { waits, linkMailbox, redis } = this.#options;
    const settled = await waits.settle(robot, number, cancelled, null);
    const [state, instance, session] = await guarded(() => redis.commands.hmget(robotKeys.lease(robot), 'state', 'instance', 'session'));
    // For a robot that is moving, the robot-link that takes it over clears a question without an open wait.
    if (state === 'held') await linkMailbox.send(instance ?? '', { t: 'wait_end', robot, session: session ?? '', number });
    return settled.settled;
  }

  async #endQueued({ ending, askers }: Work): Promise<number> {
    const { queue } = this.#options;
    let count = 0;
    for await (const robots of this.#robotsOf(ending.account, askers.robots)) {
      const lists = await Promise.all(robots.map((robot) => queue.list(robot)));
      for (const [i, robot] of robots.entries())
        for (const { number, entry } of lists[i]!)
          if (asked(askers, entry.owner ?? entry.guest?.account, entry.keyHash)) count += (await queue.drop(robot, number, cancelled)) ? 1 : 0;
    }
    return count;
  }

  async *#robotsOf(account: string, only: readonly string[] | null = null): AsyncGenerator<readonly string[]> {
    if (only !== null) yield* slicesOf(only, robotsAtOnce);
    else for await (const part of scannedSet(this.#options.redis, accountKeys.robots(account))) yield* slicesOf(part.filter(isRobotId), robotsAtOnce);
  }
}

function asked({ owners, keyHashes }: Askers, owner: string | undefined, keyHash = ''): boolean {
  return owners === null || (owner === undefined ? keyHashes.has(keyHash) : owners.has(owner));
}

function keptOf(ending: Ending): KeptBrowser {
  return ('kept' in ending ? ending.kept : undefined) ?? { session: null, devices: [] };
}
