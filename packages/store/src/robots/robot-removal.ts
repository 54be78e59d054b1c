import { storedPlaces } from '../accounts/account-storage.js';
import { isRobotId } from '../ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { holderOf, listKeys, type Holder } from './robot-record.js';

const removedOutcome = JSON.stringify({ outcome: 'failed', code: 'unknown_robot', error: 'The robot was removed.' });

export class RobotRemoval {
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
