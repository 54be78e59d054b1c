/**
 * Callers are notified on the hash's channel: BullMQ's `waitUntilFinished` occasionally throws with `removeOnComplete`, and warns from 11 waiters on.
 * A job's priority is the number of renders that its account wants then, so that every account's first job comes before any second one.
 */
import { type RenderJob, ApiError } from '@perch/schema';
import { asStoreError } from '../redis/errors.js';
import { formats } from '../redis/formats.js';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import { unworkedShard, type JobShards } from '../jobs/job-shards.js';
import { backlogOf, ShardedQueue, type JobBacklog } from '../jobs/queues.js';
import type { Connections } from '../redis/connections.js';
import type { GrowingSounds } from './growing-sounds.js';
import type { Media } from './media.js';
import {
  defaultRenderShare,
  queueNames,
  queueOf,
  RenderDemand,
  renderQueues,
  type Entered,
  type RenderQueue,
  type RenderShare,
  type Want,
  type WantKind,
} from './render-demand.js';
import { lockMs, RenderWork, stalledCheckMs, type RenderHandlers } from './render-work.js';
import type { Uploads } from './uploads.js';
import { RenderPlaces, type DirectRender } from './render-places.js';
import { type Slots, Workers, type Work } from '../jobs/workers.js';

/** On the channel of a hash: its renderer will not make the render, which goes to the queue. */
export const leftMessage = 'left';

export interface RenderWorker {
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface RenderJobsOptions {
  redis: Connections;
  media: Media;
  uploads: Uploads;
  growing: GrowingSounds;
  shards: JobShards;
  onError: (error: Error) => void;
  share?: RenderShare | undefined;
  /** Changed by tests only. false: neither sends renders past the queue nor takes such. */
  isDirect?: boolean;
}

export class RenderJobs {
  /** Renders refused because the account's share was used up, and jobs dropped because no caller was left, since this instance started. */
  readonly counts = { busy: 0, dropped: 0 };
  readonly #redis: Connections;
  readonly #onError: (error: Error) => void;
  readonly #demand: RenderDemand;
  readonly #media: Media;
  readonly #uploads: Uploads;
  readonly #growing: GrowingSounds;
  readonly #workers = new Set<RenderWorker>();
  readonly #shards: JobShards;
  readonly #queues: Record<RenderQueue, ShardedQueue<RenderJob>>;
  readonly #isDirect: boolean;
  #counted: () => number;
  readonly #leaving = new Set<Promise<void>>();
  #closing: Promise<void> | null = null;

  constructor({ redis, media, uploads, growing, shards, onError, share = defaultRenderShare, isDirect = true }: RenderJobsOptions) {
    this.#isDirect = isDirect;
    this.#redis = redis;
    this.#onError = onError;
    this.#demand = new RenderDemand(redis, share);
    this.#media = media;
    this.#shards = shards;
    this.#counted = () => shards.count;
    this.#uploads = uploads;
    this.#growing = growing;
    this.#queues = {
      scenes: new ShardedQueue(redis, queueNames.scenes, onError),
      uploads: new ShardedQueue(redis, queueNames.uploads, onError),
      speech: new ShardedQueue(redis, queueNames.speech, onError),
    };
  }

  /**
   * Call it before `request`: a job without demand is dropped. A new render goes to a free place of a renderer, if no job waits; then no job is needed.
   * @throws {ApiError} busy
   */
  async want(want: Want, kind: WantKind = 'renewed'): Promise<Entered> {
    try {
      return await this.#demand.enter(want, this.#shards.of(want.job.account), this.#isDirect ? kind : 'renewed');
    } catch (error) {
      if (error instanceof ApiError && error.code === 'busy') this.counts.busy += 1;
      throw error;
    }
  }

  /** Does nothing while an equal job is queued or running. Fails fast; after a StoreError the render may still take place. @returns id of the job */
  async request(job: RenderJob, priority: number): Promise<string> {
    try {
      const queue = await this.#queues[queueOf(job)].of(this.#shards.of(job.account));
      // No job id and no finished jobs: a job kept under its id would make the next `add` a silent no-op.
      const added = await queue.add(
        job.kind,
        { v: formats.render_job.writes, ...job },
        {
          deduplication: { id: `${job.account}:${job.hash}` },
          priority,
          attempts: 1,
          removeOnComplete: true,
          removeOnFail: true,
        },
      );
      return added.id!;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /** Withdraws demand without waiting; the last one deletes the waiting job (`jobId` null: it is over). After a failure the demand expires. */
  leave(want: Want, jobId: string | null): void {
    const left = this.#leave(want, jobId)
      .catch((error: unknown) => {
        if (this.#closing === null) this.#onError(error as Error);
      })
      .finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** @throws {ApiError} render_failed, naming the setting, when no renderer works on the account's shard */
  async requireWorkers(account: string): Promise<void> {
    const shard = this.#shards.of(account);
    if (await this.#shards.hasWorkers('renders', shard)) return;
    const message = unworkedShard('renderer', shard, this.#shards.count);
    this.#onError(new Error(message));
    throw new ApiError('render_failed', message);
  }

  async waiting(): Promise<Record<RenderQueue, number>> {
    const { scenes, uploads, speech } = await this.backlog();
    return { scenes: scenes.waiting, uploads: uploads.waiting, speech: speech.waiting };
  }

  async backlog(): Promise<Record<RenderQueue, JobBacklog>> {
    const of = (queue: RenderQueue): Promise<JobBacklog> => backlogOf(this.#redis, queueNames[queue], 'prioritized', this.#counted());
    const [scenes, uploads, speech] = await Promise.all(renderQueues.map(of));
    return { scenes: scenes!, uploads: uploads!, speech: speech! };
  }

  work(handlers: RenderHandlers, concurrency: Record<RenderQueue, number>): RenderWorker {
    const workers = new Workers(this.#redis, this.#onError);
    const work = new RenderWork({
      media: this.#media,
      uploads: this.#uploads,
      growing: this.#growing,
      demand: this.#demand,
      forms: this.#redis.forms,
      handlers,
      onError: this.#onError,
    });
    let places: RenderPlaces | undefined;
    for (const queue of renderQueues) {
      const limits = { concurrency: concurrency[queue], lockDuration: lockMs, stalledInterval: stalledCheckMs, maxStalledCount: 2 };
      // BullMQ fails a job only if it brought down its worker repeatedly.
      const failed: Work<RenderJob>['failed'] = (job, error) => {
        this.#onError(error);
        if (job !== undefined) work.failed(job.data).catch(this.#onError);
      };
      const slots = workers.add<RenderJob>(queueNames[queue], { run: (job, token, shard) => work.run(job, token, shard), failed }, limits);
      if (queue === 'scenes' && this.#isDirect) places = this.#placesOf(work, slots, () => workers.shards);
    }
    const shards = this.#shards.follow('renders', workers);
    this.#counted = () => workers.shards;
    const running: RenderWorker = {
      ready: async () => {
        await shards.ready;
        await workers.ready();
        // A renderer without places works on the queue; they are opened later.
        await places?.open().catch(this.#onError);
      },
      close: async () => {
        shards.stop();
        this.#workers.delete(running);
        await Promise.all([places?.close(), workers.close()]);
      },
    };
    this.#workers.add(running);
    return running;
  }

  #placesOf(work: RenderWork, slots: Slots, shards: () => number): RenderPlaces {
    const end = async ({ place, shard, job }: DirectRender, placeMs: number, isLeft: boolean): Promise<void> => {
      const { account, hash } = job;
      const keys = [sharedKeys.renderClaim(account, hash, shard), sharedKeys.renderPlaces(shard)] as const;
      await this.#redis.script('renderRelease', keys, [place, placeMs]);
      if (isLeft) await this.#redis.publish(accountKeys.mediaChannel(account, hash), leftMessage);
    };
    return new RenderPlaces({
      redis: this.#redis,
      slots,
      shards,
      onError: this.#onError,
      work: {
        run: async (render, release) => {
          const isDone = await work.runDirect(render);
          // Without a reply of Redis, the claim and the place expire.
          await end(render, release(), !isDone).catch(() => {});
        },
        leave: (render) => end(render, 0, true).catch(() => {}),
      },
    });
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
    const shard = this.#shards.of(job.account);
    if ((await this.#demand.leave(want, shard)) || jobId === null) return;
    const queue = await this.#queues[queueOf(job)].of(shard);
    // Leaves a running job: its worker notices that the demand is gone.
    const removed = await queue.remove(jobId, { removeChildren: false });
    this.counts.dropped += removed;
    if (job.kind === 'draw') await Promise.all(job.uploads.map((sha) => this.#uploads.drop(job, sha)));
  }
}
