/**
 * An instance that appends events for webhooks adds a job for the robot, which adds a job for each message above the robot's mark, then advances the
 * mark. Repeated, it meets `Deliveries`, which recognizes open messages. A job that Redis did not take is added later; if the instance ends before, a
 * minutely check of all robots makes up for it.
 */
import type { JobsOptions } from 'bullmq';
import { webhookPayload } from '@perch/schema';
import { asStoreError, guarded } from '../redis/errors.js';
import { formats } from '../redis/formats.js';
import type { Deliveries, Delivery } from './deliveries.js';
import type { Events } from '../events/events.js';
import { accountKeys, robotKeys, sharedKeys } from '../redis/keys.js';
import { unworkedShard, type JobShards } from '../jobs/job-shards.js';
import { ShardedQueue } from '../jobs/queues.js';
import type { Connections } from '../redis/connections.js';
import { inSlices } from '../robots/robot-ids.js';
import type { RobotRecord } from '../robots/robot-record.js';
import type { Robots } from '../robots/robots.js';
import { scannedSet } from '../redis/scans.js';
import type { SliceQueue } from '../redis/slice-queue.js';
import { wantsRobot, type WebhookRecord, type Webhooks } from './webhooks.js';

export const noticeQueue = 'webhook-notices';
export const deliveryQueue = 'webhook-deliveries';

/** Without `robot`: a check of all robots. */
export interface NoticeJob {
  /** See formats.ts; absent from a job of 0.9.0, which means 1. */
  v?: number;
  robot?: string;
}

export interface DeliveryJob {
  v?: number;
  account: string;
  webhook: string;
  delivery: string;
  /** Earlier attempts: a redelivery starts its retries anew. */
  from: number;
  once: boolean;
}

export const checkAllEveryMs = 60_000;
const workersCheckedEveryMs = 60_000;
const noticedAgainMs = 1000;
const eventsAtOnce = 100;
/** Rounds of one job; a robot that produces events faster gets another job at once. */
const roundsMax = 20;

/** For failures on our side: Redis unreachable, instance stopped. `DeliveryWorker` handles failures of receivers. */
const jobOptions: JobsOptions = { attempts: 20, backoff: { type: 'fixed', delay: 2000 }, removeOnComplete: true, removeOnFail: true };

export interface WebhookJobsOptions {
  redis: Connections;
  webhooks: Webhooks;
  slices: SliceQueue;
  deliveries: Deliveries;
  robots: Robots;
  shards: JobShards;
  /** A function, because Events depends on `notice`. */
  events: () => Events;
  onError: (error: Error) => void;
}

export class WebhookJobs {
  readonly #options: WebhookJobsOptions;
  readonly #notices: ShardedQueue<NoticeJob>;
  readonly #sends: ShardedQueue<DeliveryJob>;
  /** Robots whose job Redis did not take. */
  readonly #unnoticed = new Set<string>();
  #noticing: NodeJS.Timeout | null = null;
  #closed = false;
  #checkedAt = -Infinity;

  constructor(options: WebhookJobsOptions) {
    this.#options = options;
    this.#notices = new ShardedQueue(options.redis, noticeQueue, options.onError);
    this.#sends = new ShardedQueue(options.redis, deliveryQueue, options.onError);
  }

  /** Never fails; what Redis does not take is repeated. */
  notice(robot: string): void {
    this.#addNotice(robot).catch((error: Error) => {
      this.#options.onError(error);
      this.#unnoticed.add(robot);
      this.#noticeLater();
    });
  }

  async scheduleCheckOfAll(): Promise<void> {
    const queue = await this.#notices.of(0);
    await queue.upsertJobScheduler(
      'look',
      { every: checkAllEveryMs },
      { name: 'look', data: {}, opts: { removeOnComplete: true, removeOnFail: true } },
    );
  }

  async send({ account, id }: Pick<WebhookRecord, 'account' | 'id'>, { id: delivery, attempts }: Delivery, once = false): Promise<void> {
    try {
      const queue = await this.#sends.of(this.#options.shards.of(account));
      // Deduplicates equal jobs; a redelivery has a higher number of attempts.
      const jobId = `${id}_${delivery}_${attempts}`;
      await queue.add('deliver', { v: formats.delivery_job.writes, account, webhook: id, delivery, from: attempts, once }, { ...jobOptions, jobId });
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /** @returns number of messages dropped because too many are open */
  async handOver(robot: string): Promise<number> {
    const { redis, robots, webhooks, events } = this.#options;
    const record = await robots.get(robot);
    if (record === null) return 0;
    let leftOut = 0;
    for (let round = 0; round < roundsMax; round++) {
      const mark = await guarded(() => redis.commands.hget(robotKeys.log(robot), 'hooked'));
      if (mark === null) return leftOut;
      const page = await events().read(robot, { after: Number(mark), limit: eventsAtOnce });
      // Read after the events, so that the mark passes no event that a webhook created meanwhile wants.
      const wanting = (await webhooks.list(record.account)).filter((webhook) => wantsRobot(webhook, robot));
      if (wanting.length === 0) {
        await guarded(() => redis.commands.hdel(robotKeys.log(robot), 'hooked'));
        return leftOut;
      }
      if (page.events.length === 0) {
        // The events above the mark have expired.
        if (page.lastSeq > Number(mark)) await redis.script('hookAdvance', [robotKeys.log(robot)], [page.lastSeq]);
        return leftOut;
      }
      for (const webhook of wanting) leftOut += await this.#handTo(webhook, record, page.events);
      await redis.script('hookAdvance', [robotKeys.log(robot)], [page.events.at(-1)!.seq]);
    }
    this.notice(robot);
    return leftOut;
  }

  async checkAll(): Promise<void> {
    const { redis, webhooks, slices } = this.#options;
    for await (const accounts of scannedSet(redis, sharedKeys.hookedAccounts())) {
      for (const account of accounts) {
        const all = await webhooks.list(account);
        if (all.length === 0) await this.#forget(account);
        const wanting = all.filter(({ disabled }) => disabled === null);
        if (wanting.length === 0) continue;
        const ids = await webhooks.robotsOf(account, wanting);
        for await (const _ of inSlices(slices, { account, name: 'look', ids }, (slice) => this.#lookAt(slice)));
      }
    }
  }

  close(): Promise<unknown> {
    this.#closed = true;
    if (this.#noticing !== null) clearTimeout(this.#noticing);
    return Promise.all([this.#notices.close(), this.#sends.close()]);
  }

  async #lookAt(robots: readonly string[]): Promise<void> {
    const { redis, webhooks } = this.#options;
    const logs = await guarded(() => Promise.all(robots.map((robot) => redis.commands.hmget(robotKeys.log(robot), 'seq', 'hooked'))));
    const unmarked: string[] = [];
    for (const [i, [seq, mark]] of logs.entries()) {
      // A removed robot gets no new log.
      if (seq === null || seq === undefined) continue;
      if (mark === null || mark === undefined) unmarked.push(robots[i]!);
      if (Number(seq) > Number(mark ?? 0)) this.notice(robots[i]!);
    }
    await webhooks.mark(unmarked);
  }

  /** Reports a shard without a webhooks service, at most once a minute. Its jobs stay until one processes them. */
  async #checkWorkers(shard: number): Promise<void> {
    const { shards, onError } = this.#options;
    if (shard === 0 || performance.now() - this.#checkedAt < workersCheckedEveryMs) return;
    this.#checkedAt = performance.now();
    if (!(await shards.hasWorkers('webhooks', shard))) onError(new Error(unworkedShard('webhooks service', shard, shards.count)));
  }

  async #forget(account: string): Promise<void> {
    const { commands } = this.#options.redis;
    await guarded(() => commands.srem(sharedKeys.hookedAccounts(), account));
    // A webhook was created meanwhile.
    if ((await guarded(() => commands.hlen(accountKeys.webhooks(account)))) > 0)
      await guarded(() => commands.sadd(sharedKeys.hookedAccounts(), account));
  }

  /** Keeps one waiting job for a robot; `DeliveryWorker` allows the next one as soon as it starts. */
  async #addNotice(robot: string): Promise<void> {
    const shard = this.#options.shards.of(robot);
    const queue = await this.#notices.of(shard);
    await queue.add('news', { v: formats.notice_job.writes, robot }, { ...jobOptions, deduplication: { id: robot } });
    await this.#checkWorkers(shard);
  }

  /** One after the other, and no further once Redis refuses one again: it may have thousands to take after an outage. */
  #noticeLater(): void {
    if (this.#closed || this.#noticing !== null) return;
    const again = async (): Promise<void> => {
      try {
        for (const robot of this.#unnoticed) {
          await this.#addNotice(robot);
          this.#unnoticed.delete(robot);
        }
      } catch {
        // Reported when it was first refused.
      }
      this.#noticing = null;
      if (this.#unnoticed.size > 0) this.#noticeLater();
    };
    this.#noticing = setTimeout(() => void again(), noticedAgainMs);
    this.#noticing.unref();
  }

  async #handTo(webhook: WebhookRecord, robot: RobotRecord, events: Awaited<ReturnType<Events['read']>>['events']): Promise<number> {
    const { deliveries } = this.#options;
    const wanted = events.filter(({ name, at }) => (webhook.names?.includes(name) ?? true) && Date.parse(at) >= webhook.since);
    if (wanted.length === 0) return 0;
    const messages = wanted.map((event) => deliveries.newDelivery(`msg_${robot.id}_${event.seq}`, robot.id, webhookPayload(robot, event)));
    const opened = (await deliveries.addOpen(webhook, messages)) ?? [];
    await Promise.all(messages.filter((_, i) => opened[i] === 'open').map((message) => this.send(webhook, message)));
    return opened.filter((each) => each === 'full').length;
  }
}
