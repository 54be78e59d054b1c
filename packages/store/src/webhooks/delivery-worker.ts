/** Works on what `WebhookJobs` asks for: hands events on, sends messages, and sends again what did not arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job } from 'bullmq';
import type { RedisClock } from '../instances/clock.js';
import type { Deliveries, Delivery } from './deliveries.js';
import type { Connections } from '../redis/connections.js';
import { backlogOf, type JobBacklog } from '../jobs/job-backlog.js';
import type { JobShards } from '../jobs/job-shards.js';
import { deliveryQueue, noticeQueue, type DeliveryJob, type NoticeJob, type WebhookJobs } from './webhook-jobs.js';
import type { WebhookRecord, Webhooks } from './webhooks.js';
import { Workers, type WorkerLimits } from '../jobs/workers.js';

/** How an attempt went. `status` is the HTTP status, `error` a sentence; both null is a message that arrived. */
export interface SendResult {
  status: number | null;
  error: string | null;
}

export interface DeliveryHandlers {
  /** Sends a message, once. Rejects only when `signal` is aborted. @param at Redis ms */
  send(webhook: WebhookRecord, message: { id: string; at: number; body: string }, signal: AbortSignal): Promise<SendResult>;
  /** For metrics. `again`: it failed and is sent again. */
  ended(outcome: 'delivered' | 'again' | 'failed'): void;
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
  /** Messages sent at a time. */
  concurrency: number;
  /** Pauses before the second, third, ... attempt, ms; each is varied by a fifth. */
  retriesMs: readonly number[];
  onError: (error: Error) => void;
}

/** Of one account at a time on one instance, so that slow receivers of one do not hold up the others. */
const perAccountMax = 8;
/** Pause before the minutely look is scheduled again where Redis refused it. */
const scheduleAgainMs = 1000;
/** When a message beyond that looks again, ms: half as often each time, since thousands of an account may have to. */
const shareAgainMs = 250;
const shareAgainMaxMs = 10_000;

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #workers: Workers;
  readonly #shards: ReturnType<JobShards['follow']>;
  readonly #stop = new AbortController();
  readonly #ofAccount = new Map<string, number>();
  #scheduled: Promise<void> = Promise.resolve();

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#workers = new Workers(options.redis, options.onError);
    const failed = (_job: unknown, error: Error): void => {
      if (!this.#stop.signal.aborted) options.onError(error);
    };
    this.#workers.add<NoticeJob>(noticeQueue, { run: (job) => this.#handOn(job), failed }, limits(10));
    this.#workers.add<DeliveryJob>(deliveryQueue, { run: (job, token) => this.#deliver(job, token), failed }, limits(options.concurrency));
    this.#shards = options.shards.follow('webhooks', this.#workers);
  }

  /** Resolves once the workers are connected. The minutely look is scheduled as soon as Redis takes it: nothing else waits for that. */
  async ready(): Promise<void> {
    this.#scheduled = this.#scheduleLook();
    await this.#shards.ready;
    await this.#workers.ready();
  }

  /** Messages of all accounts that wait for their first attempt or the next one. @throws {StoreError} when Redis does not answer */
  backlog(): Promise<JobBacklog> {
    return backlogOf(this.#options.redis, deliveryQueue, 'delayed', Math.max(1, this.#workers.shards));
  }

  /** Takes no more jobs; messages on their way are broken off and sent again by another instance. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#shards.stop();
    await this.#scheduled;
    await this.#workers.close();
  }

  /** Retries until Redis, which may be full or slow at start, takes the job; ends with the worker. Never rejects. */
  async #scheduleLook(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        return await this.#options.jobs.lookRegularly();
      } catch (error) {
        this.#options.onError(error as Error);
      }
      await sleep(scheduleAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #handOn(job: Job<NoticeJob>): Promise<void> {
    this.#requireReadable('notice_job', job);
    const { robot } = job.data;
    if (robot === undefined) return this.#options.jobs.lookAtAll();
    // What comes from now on is not seen for sure: it asks for the next job.
    await job.removeDeduplicationKey();
    this.#options.handlers.leftOut(await this.#options.jobs.handOn(robot));
  }

  /** A job of a later release: BullMQ hands it out again, up to 20 times in 40 s and more, so that an instance that reads it may take it. */
  #requireReadable(format: 'notice_job' | 'delivery_job', { data }: Job): void {
    if (!this.#options.redis.forms.fits(format, data)) throw new Error(`A ${format} is of a form that this release does not read.`);
  }

  async #deliver(job: Job<DeliveryJob>, token: string): Promise<void> {
    this.#requireReadable('delivery_job', job);
    const { webhooks, deliveries } = this.#options;
    const { account, webhook: id, delivery: message, once, from } = job.data;
    const [webhook, delivery] = await Promise.all([webhooks.get(account, id), deliveries.get({ account, id }, message)]);
    if (webhook === null || delivery === null) {
      // As for a job of a later release. The message of a webhook that was removed is gone as well.
      if (await deliveries.exists({ account, id }, message))
        throw new Error('A message or its webhook is of a form that this release does not read.');
      return;
    }
    if (delivery.status !== 'pending') return;
    if (webhook.disabled !== null && !once) {
      await this.#end(webhook, { ...delivery, status: 'failed', lastError: webhook.disabled, nextAt: null });
      return;
    }
    if (this.#inFlight(account) >= perAccountMax) return this.#later(job, token, shareAgainIn(job.attemptsStarted));

    const attempt = await this.#attempt(webhook, delivery);
    if (attempt.lastError === null) {
      await this.#end(webhook, { ...attempt, status: 'delivered', nextAt: null });
      if (webhook.disabled !== null) await webhooks.enable(webhook);
      return;
    }
    const pause = once || attempt.lastStatus === 410 ? undefined : this.#options.retriesMs[attempt.attempts - from - 1];
    if (pause === undefined) {
      await this.#end(webhook, { ...attempt, status: 'failed', nextAt: null });
      if (attempt.lastStatus === 410) await webhooks.disable(webhook, 'The address answered 410: it wants no more.');
      return;
    }
    const ms = pause * (0.8 + 0.4 * Math.random());
    this.#options.handlers.ended('again');
    if (await deliveries.note(webhook, { ...attempt, nextAt: Math.floor(this.#options.clock.now() + ms) })) await this.#later(job, token, ms);
  }

  async #attempt(webhook: WebhookRecord, delivery: Delivery): Promise<Delivery> {
    const { clock, handlers } = this.#options;
    const at = Math.floor(clock.now());
    const { account } = webhook;
    this.#ofAccount.set(account, this.#inFlight(account) + 1);
    try {
      const { status, error } = await handlers.send(webhook, { id: delivery.id, at, body: JSON.stringify(delivery.payload) }, this.#stop.signal);
      return { ...delivery, attempts: delivery.attempts + 1, lastAt: at, lastStatus: status, lastError: error };
    } finally {
      const left = this.#inFlight(account) - 1;
      if (left === 0) this.#ofAccount.delete(account);
      else this.#ofAccount.set(account, left);
    }
  }

  async #end(webhook: WebhookRecord, delivery: Delivery): Promise<void> {
    await this.#options.deliveries.note(webhook, delivery);
    this.#options.handlers.ended(delivery.status === 'delivered' ? 'delivered' : 'failed');
  }

  #inFlight(account: string): number {
    return this.#ofAccount.get(account) ?? 0;
  }

  async #later(job: Job<DeliveryJob>, token: string, ms: number): Promise<never> {
    // BullMQ compares with the clock of the machine.
    await job.moveToDelayed(Date.now() + Math.round(ms), token);
    throw new DelayedError();
  }
}

function limits(concurrency: number): WorkerLimits {
  // Renewed while an attempt takes; one whose instance died is made again within 15 s.
  return { concurrency, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 20 };
}

/** @param begun how often the job was begun */
function shareAgainIn(begun: number): number {
  return Math.min(shareAgainMs * 2 ** Math.min(begun, 16), shareAgainMaxMs) * (0.75 + 0.5 * Math.random());
}
