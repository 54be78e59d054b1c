/**
 * Render jobs: pictures to draw and sounds to make, each once however many ask for it.
 *
 * BullMQ keeps the queues, finds jobs whose worker died, and makes equal jobs one. It keeps neither results nor finished jobs: the result is
 * in `Media`, and callers are woken on the hash's channel. BullMQ's `waitUntilFinished` is not used: with `removeOnComplete` it occasionally throws, and it warns
 * about listeners from 11 waiters on.
 *
 * Accounts take turns: the priority of a job is the number of jobs that its account wants at that moment, so that the first job of any account
 * comes before the second job of every other. Jobs of equal priority are first in, first out.
 */
import type { RenderJob } from '@perch/schema';
import { ApiError } from '@perch/schema';
import { asStoreError } from './errors.js';
import { LazyQueue } from './queues.js';
import type { Connections } from './redis.js';
import { defaultRenderShare, queueOf, RenderDemand, renderQueues, type RenderQueue, type RenderShare, type Want } from './render-demand.js';
import { lockMs, RenderWork, stalledCheckMs, type RenderHandlers } from './render-work.js';
import { Uploads } from './uploads.js';
import { Workers } from './workers.js';

/** BullMQ's names of the queues. */
const queueNames: Record<RenderQueue, string> = { scenes: 'render', uploads: 'render-uploads' };

export interface RenderWorker {
  /** Resolves once the worker is connected and takes jobs. */
  ready(): Promise<void>;
  /** Takes no more jobs and resolves when the running ones are done. */
  close(): Promise<void>;
}

export class Jobs {
  /** Since the start of this instance: renders refused because the account's share was used up, and waiting jobs dropped because no caller was left. */
  readonly counts = { busy: 0, dropped: 0 };
  readonly #redis: Connections;
  readonly #onError: (error: Error) => void;
  readonly #demand: RenderDemand;
  readonly #uploads: Uploads;
  readonly #workers = new Set<RenderWorker>();
  readonly #queues: Record<RenderQueue, LazyQueue<RenderJob>>;
  readonly #leaving = new Set<Promise<void>>();
  #closing: Promise<void> | null = null;

  constructor(redis: Connections, onError: (error: Error) => void, share: RenderShare = defaultRenderShare) {
    this.#redis = redis;
    this.#onError = onError;
    this.#demand = new RenderDemand(redis, share);
    this.#uploads = new Uploads(redis);
    this.#queues = {
      scenes: new LazyQueue(redis, queueNames.scenes, onError),
      uploads: new LazyQueue(redis, queueNames.uploads, onError),
    };
  }

  /**
   * Enters a gateway's demand for a render, or renews it. Comes before `request`: a job without demand is dropped.
   * @returns the priority for `request`
   * @throws {ApiError} busy @throws {StoreError} when Redis does not answer
   */
  async want(want: Want): Promise<number> {
    try {
      return await this.#demand.enter(want);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'busy') this.counts.busy += 1;
      throw error;
    }
  }

  /**
   * Asks for a render; nothing happens while an equal one waits or runs. It fails fast: the queue uses the connection for commands.
   * @param priority what `want` answered
   * @returns the id of the job that does it
   * @throws {StoreError} when Redis does not answer; the render may or may not take place
   */
  async request(job: RenderJob, priority: number): Promise<string> {
    try {
      const queue = await this.#queues[queueOf(job)].opened();
      // A job that is kept under its id would make the next `add` a silent no-op; so no id is given and nothing is kept.
      const added = await queue.add(job.kind, job, {
        deduplication: { id: `${job.account}:${job.hash}` },
        priority,
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: true,
      });
      return added.id!;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /**
   * Withdraws a gateway's demand. If no other gateway wants the render, its waiting job and its uploads are deleted; a running job is stopped by its
   * worker. Does not wait: what fails here is made up for when the demand expires and when a worker takes the job.
   * @param jobId of the job that nobody else may want now; null when the render has an outcome
   */
  leave(want: Want, jobId: string | null): void {
    const left = this.#leave(want, jobId)
      .catch((error: unknown) => {
        if (this.#closing === null) this.#onError(error as Error);
      })
      .finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** Jobs that no worker has taken yet, by queue, of all instances. @throws {StoreError} when Redis does not answer */
  async waiting(): Promise<Record<RenderQueue, number>> {
    try {
      const [scenes, uploads] = await Promise.all(
        renderQueues.map(async (name) => (await this.#queues[name].opened()).getJobCountByTypes('wait', 'prioritized')),
      );
      return { scenes: scenes!, uploads: uploads! };
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /** Works on jobs until closed, at most `concurrency` of each queue at a time. */
  work(handlers: RenderHandlers, concurrency: Record<RenderQueue, number>): RenderWorker {
    const workers = new Workers(this.#redis, this.#onError);
    const work = new RenderWork(this.#redis, this.#demand, handlers, this.#onError);
    for (const queue of renderQueues) {
      const worker = workers.add<RenderJob>(queueNames[queue], (job, token) => work.run(job, token), {
        concurrency: concurrency[queue],
        lockDuration: lockMs,
        stalledInterval: stalledCheckMs,
        maxStalledCount: 2,
      });
      // A job that brought its worker down again and again; nothing else comes here.
      worker.on('failed', (job, error) => {
        this.#onError(error);
        if (job !== undefined) work.failed(job.data).catch(this.#onError);
      });
    }
    const running: RenderWorker = {
      ready: () => workers.ready(),
      close: () => {
        this.#workers.delete(running);
        return workers.close();
      },
    };
    this.#workers.add(running);
    return running;
  }

  close(): Promise<void> {
    return (this.#closing ??= (async () => {
      await Promise.all([...this.#workers].map((worker) => worker.close()));
      await Promise.all(this.#leaving);
      await Promise.all(renderQueues.map((queue) => this.#queues[queue].close()));
    })());
  }

  async #leave(want: Want, jobId: string | null): Promise<void> {
    const { job } = want;
    if ((await this.#demand.leave(want)) || jobId === null) return;
    const queue = await this.#queues[queueOf(job)].opened();
    // Not removed while a worker has it: that worker notices by itself.
    const removed = await queue.remove(jobId, { removeChildren: false });
    this.counts.dropped += removed;
    if (job.kind === 'draw') await Promise.all(job.uploads.map((sha) => this.#uploads.drop(job, sha)));
  }
}
