/** One hash an account: finding a label among 10,000 robots takes some 20 reads, and no index can disagree. */
import { hasLabels, labelsOf, limits, type Labels } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { isRobotId } from '../redis/ids.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { SliceQueue } from '../redis/slice-queue.js';
import { slicesOf } from '../redis/scans.js';

const scannedAtOnce = 500;
const changedAtOnce = 50;

export interface LabelChange {
  set?: Labels;
  remove?: readonly string[];
  dropOthers?: boolean;
}

export type LabelResult = Labels | 'unknown' | 'too_many';

export class RobotLabels {
  readonly #redis: Connections;
  readonly #queue: SliceQueue;

  constructor(redis: Connections, queue: SliceQueue) {
    this.#redis = redis;
    this.#queue = queue;
  }

  /** @returns the new labels; 'unknown' when the account has no such robot; 'too_many' when it would exceed `labelsMax` */
  async change(account: string, robot: string, change: LabelChange): Promise<LabelResult> {
    return (await this.changeAll(account, [{ robot, change }]))[0]!;
  }

  /** Waits for the disk once. @returns for each what `change` returns */
  async changeAll(account: string, changes: readonly { robot: string; change: LabelChange }[]): Promise<LabelResult[]> {
    return this.#redis.durably([accountKeys.labels(account)], async () => {
      const changed: LabelResult[] = [];
      for (const slice of slicesOf(changes, changedAtOnce))
        changed.push(...(await Promise.all(slice.map(({ robot, change }) => this.#change(account, robot, change)))));
      return changed;
    });
  }

  async #change(account: string, robot: string, { set = {}, remove = [], dropOthers = false }: LabelChange): Promise<LabelResult> {
    if (!isRobotId(robot)) return 'unknown';
    const args = [...remove, ...Object.entries(set).map(([key, value]) => `${key}=${value}`)];
    const keys = [accountKeys.robots(account), accountKeys.labels(account), accountKeys.stored(account)] as const;
    const reply = await this.#redis.script('robotLabel', keys, [robot, limits.robots.labelsMax, dropOthers ? 1 : '', ...args]);
    if (typeof reply === 'string') return labelsOf(reply);
    return reply === 0 ? 'unknown' : 'too_many';
  }

  async of(account: string, robot: string): Promise<Labels> {
    return labelsOf((await guarded(() => this.#redis.commands.hget(accountKeys.labels(account), robot))) ?? '');
  }

  /** Returns labels in the order of the ids; '' for none. */
  async stored(account: string, robots: readonly string[]): Promise<string[]> {
    if (robots.length === 0) return [];
    const all = await guarded(() => this.#redis.commands.hmget(accountKeys.labels(account), ...robots));
    return all.map((labels) => labels ?? '');
  }

  async among(account: string, robots: readonly string[], labels: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const slice of slicesOf(robots, scannedAtOnce)) {
      const stored = await this.stored(account, slice);
      found.push(...slice.filter((_, i) => hasLabels(stored[i]!, labels)));
    }
    return found;
  }

  /** Ascending, maybe also robots whose removal was interrupted. Concurrent callers share the read. @param labels each `key=value` */
  async all(account: string, labels: readonly string[]): Promise<readonly string[]> {
    const first = await this.#scan(account, '0', labels);
    if (first.next === '0') return first.found.toSorted();
    const name = labels.toSorted().join(';');
    const ids = new Set<string>();
    let cursor = '0';
    do {
      // All parts take 15 MB if 10,000 robots have the maximum number of labels, so lists of other accounts run in between.
      const from = cursor;
      const { found, next } = await this.#queue.run(account, `labels ${from} ${name}`, () => this.#scan(account, from, labels));
      for (const id of found) ids.add(id);
      cursor = next;
    } while (cursor !== '0');
    return [...ids].toSorted();
  }

  async #scan(account: string, cursor: string, labels: readonly string[]): Promise<{ found: string[]; next: string }> {
    const [next, entries] = await guarded(() => this.#redis.commands.hscan(accountKeys.labels(account), cursor, 'COUNT', scannedAtOnce));
    const found: string[] = [];
    for (let i = 0; i < entries.length; i += 2) if (hasLabels(entries[i + 1]!, labels)) found.push(entries[i]!);
    return { found, next };
  }
}
