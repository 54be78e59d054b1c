import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job } from 'bullmq';
import type { RedisClock } from '../instances/clock.js';
import type { Deliveries, Delivery } from './deliveries.js';
import type { Connections } from '../redis/connections.js';
import { backlogOf, type JobBacklog } from '../jobs/queues.js';
import type { JobShards } from '../jobs/job-shards.js';
import { deliveryQueue, noticeQueue, type DeliveryJob, type NoticeJob, type WebhookJobs } from './webhook-jobs.js';
import type { WebhookRecord, Webhooks } from './webhooks.js';
import { Workers, type WorkerLimits } from '../jobs/workers.js';

/** `error` is a sentence; null means delivered. */
export interface SendResult {
  status: number | null;
  error: string | null;
}

export interface DeliveryHandlers {
  /** Rejects only when `signal` is aborted. @param at Redis ms */
  send(webhook: WebhookRecord, message: { id: string; at: number; body: string }, signal: AbortSignal): Promise<SendResult>;
  /** Called for metrics. `again`: the attempt failed and will be retried. */
  ended(outcome: 'delivered' | 'again' | 'failed'): void;
  /** Messages that were not stored, because too many were open or the account's storage was full. */
  leftOut(count: number): void;
}

export interface DeliveryWorkerOptions {
  redis: Connections;
  clock: RedisClock;
  webhooks: Webhooks;
  deliveries: Deliveries;
  jobs: WebhookJobs;
  shards: JobShards;
  handlers: DeliveryHandlers;
  concurrency: number;
  /** Pauses before the second, third, ... attempt; each is varied by a fifth. */
  retriesMs: readonly number[];
  onError: (error: Error) => void;
}

/** Messages of one account in flight on one instance, so that slow receivers of one account do not delay others. */
const perAccountMax = 8;
const scheduleAgainMs = 1000;
/** Delay of a message beyond that limit; doubled each time, because an account may have thousands of them. */
const shareAgainMs = 250;
const shareAgainMaxMs = 10_000;

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #workers: Workers;
  readonly #shards: ReturnType<JobShards['follow']>;
  readonly #stop = new AbortController();
  readonly #inFlightOf = new Map<string, number>();
  #scheduled: Promise<void> = Promise.resolve();

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#workers = new Workers(options.redis, options.onError);
    const failed = (_job: unknown, error: Error): void => {
      if (!this.#stop.signal.aborted) options.onError(error);
    };
    this.#workers.add<NoticeJob>(noticeQueue, { run: (job) => this.#handOver(job), failed }, limits(10));
    this.#workers.add<DeliveryJob>(deliveryQueue, { run: (job, token) => this.#deliver(job, token), failed }, limits(options.concurrency));
    this.#shards = options.shards.follow('webhooks', this.#workers);
  }

  /** Resolves once the workers are connected. The minutely check is scheduled as soon as Redis accepts it. */
  async ready(): Promise<void> {
    this.#scheduled = this.#scheduleCheckOfAll();
    await this.#shards.ready;
    await this.#workers.ready();
  }

  /** Over all accounts, messages that wait for an attempt. */
  backlog(): Promise<JobBacklog> {
    return backlogOf(this.#options.redis, deliveryQueue, 'delayed', Math.max(1, this.#workers.shards));
  }

  /** Messages in flight are aborted and sent again by another instance. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#shards.stop();
    await this.#scheduled;
    await this.#workers.close();
  }

  /** Retries until Redis, which may be full or slow at start, accepts the job, or the worker closes. Never rejects. */
  async #scheduleCheckOfAll(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        return await this.#options.jobs.scheduleCheckOfAll();
      } catch (error) {
        this.#options.onError(error as Error);
      }
      await sleep(scheduleAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #handOver(job: Job<NoticeJob>): Promise<void> {
    this.#requireReadable('notice_job', job);
    const { robot } = job.data;
    if (robot === undefined) return this.#options.jobs.checkAll();
    // Events from now on may be missed by this job, so they may request the next one.
    await job.removeDeduplicationKey();
    this.#options.handlers.leftOut(await this.#options.jobs.handOver(robot));
  }

  /** BullMQ retries a rejected job, up to 20 times over at least 40 s, so that an instance that reads it may take it. */
  #requireReadable(format: 'notice_job' | 'delivery_job', { data }: Job): void {
    if (!this.#options.redis.forms.fits(format, data)) throw new Error(`A ${format} is of a form that this release does not read.`);
  }

  async #deliver(job: Job<DeliveryJob>, token: string): Promise<void> {
    this.#requireReadable('delivery_job', job);
    const { webhooks, deliveries } = this.#options;
    const { account, webhook: id, delivery: message, once, from } = job.data;
    const [webhook, delivery] = await Promise.all([webhooks.get(account, id), deliveries.get({ account, id }, message)]);
    if (webhook === null || delivery === null) {
      // Retried, like a job of a later release. A removed webhook has no messages.
      if (await deliveries.exists({ account, id }, message))
        throw new Error('A message or its webhook is of a form that this release does not read.');
      return;
    }
    if (delivery.status !== 'pending') return;
    if (webhook.disabled !== null && !once) {
      await this.#end(webhook, { ...delivery, status: 'failed', lastError: webhook.disabled, nextAt: null });
      return;
    }
    if (this.#inFlight(account) >= perAccountMax) return this.#delay(job, token, shareAgainIn(job.attemptsStarted));

    const attempt = await this.#attempt(webhook, delivery);
    if (attempt.lastError === null) {
      await this.#end(webhook, { ...attempt, status: 'delivered', nextAt: null });
      if (webhook.disabled !== null) await webhooks.enable(webhook);
      return;
    }
    const pause = once || attempt.lastStatus === 410 ? undefined : this.#options.retriesMs[attempt.attempts - from - 1];
    if (pause === undefined) {
      await this.#end(webhook, { ...attempt, status: 'failed', nextAt: null });
      if (attempt.lastStatus === 410) await webhooks.disable(webhook, 'The address answered 410 (Gone).');
      return;
    }
    const ms = pause * (0.8 + 0.4 * Math.random());
    this.#options.handlers.ended('again');
    if (await deliveries.recordAttempt(webhook, { ...attempt, nextAt: Math.floor(this.#options.clock.now() + ms) }))
      await this.#delay(job, token, ms);
  }

  async #attempt(webhook: WebhookRecord, delivery: Delivery): Promise<Delivery> {
    const { clock, handlers } = this.#options;
    const at = Math.floor(clock.now());
    const { account } = webhook;
    this.#inFlightOf.set(account, this.#inFlight(account) + 1);
    try {
      const { status, error } = await handlers.send(webhook, { id: delivery.id, at, body: JSON.stringify(delivery.payload) }, this.#stop.signal);
      return { ...delivery, attempts: delivery.attempts + 1, lastAt: at, lastStatus: status, lastError: error };
    } finally {
      const left = this.#inFlight(account) - 1;
      if (left === 0) this.#inFlightOf.delete(account);
      else this.#inFlightOf.set(account, left);
    }
  }

  async #end(webhook: WebhookRecord, delivery: Delivery): Promise<void> {
    await this.#options.deliveries.recordAttempt(webhook, delivery);
    this.#options.handlers.ended(delivery.status === 'delivered' ? 'delivered' : 'failed');
  }

  #inFlight(account: string): number {
    return this.#inFlightOf.get(account) ?? 0;
  }

  async #delay(job: Job<DeliveryJob>, token: string, ms: number): Promise<never> {
    // BullMQ compares with the machine's clock.
    await job.moveToDelayed(Date.now() + Math.round(ms), token);
    throw new DelayedError();
  }
}

function limits(concurrency: number): WorkerLimits {
  // Renewed during an attempt; the job of a dead instance is retried within 15 s.
  return { concurrency, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 20 };
}

function shareAgainIn(begun: number): number {
  return Math.min(shareAgainMs * 2 ** Math.min(begun, 16), shareAgainMaxMs) * (0.75 + 0.5 * Math.random());
}
