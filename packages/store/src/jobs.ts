/**
 * Render jobs: pictures to draw and sounds to make, each once however many ask for it.
 *
 * BullMQ keeps the queue, finds jobs whose worker died, and makes equal jobs one. It keeps neither results nor finished jobs: the result is
 * in `Media`, and whoever waits is woken on the hash's channel (BullMQ's own `waitUntilFinished` is left alone, see performance.md, 10).
 */
import type { Job } from 'bullmq';
import { ApiError, BadPicture, type DrawJob, type RenderJob, type SoundJob } from '@perch/schema';
import { asStoreError, StoreError } from './errors.js';
import { Media, mediaTtlMs, type MadeMedia } from './media.js';
import { LazyQueue } from './queues.js';
import type { Connections } from './redis.js';
import { Uploads } from './uploads.js';
import { Workers } from './workers.js';

const queueName = 'render';

/** A worker that died is noticed when its lock ran out and two checks went by: within 8 s, less than a caller waits (10 s for what a robot is to show). */
const lockMs = 4000;
const stalledCheckMs = 2000;

export interface RenderHandlers {
  /**
   * Draws a scene. What it throws reaches the caller: an ApiError (bad_picture) as it is, anything else as render_failed.
   * @param uploads the bytes of all of the job's uploads, by SHA-256
   */
  draw(job: DrawJob, uploads: ReadonlyMap<string, Buffer>): Promise<MadeMedia>;
  sound(job: SoundJob): Promise<MadeMedia>;
}

export interface RenderWorker {
  /** Resolves once the worker is connected and takes jobs. */
  ready(): Promise<void>;
  /** Takes no more jobs and resolves when the running ones are done. */
  close(): Promise<void>;
}

export class Jobs {
  readonly #redis: Connections;
  readonly #onError: (error: Error) => void;
  readonly #media: Media;
  readonly #uploads: Uploads;
  readonly #workers = new Set<RenderWorker>();
  readonly #queue: LazyQueue<RenderJob>;
  #closing: Promise<void> | null = null;

  constructor(redis: Connections, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#onError = onError;
    this.#queue = new LazyQueue(redis, queueName, onError);
    this.#media = new Media(redis);
    this.#uploads = new Uploads(redis);
  }

  /**
   * Asks for a render; nothing happens while an equal one waits or runs. It fails fast: the queue uses the connection for commands.
   * @throws {StoreError} when Redis does not answer; the render may or may not take place
   */
  async request(job: RenderJob): Promise<void> {
    try {
      const queue = await this.#queue.opened();
      // A job that is kept under its id would make the next `add` a silent no-op; so no id is given and nothing is kept.
      await queue.add(job.kind, job, {
        deduplication: { id: `${job.account}:${job.hash}` },
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: true,
      });
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /** Works on jobs until closed, at most `concurrency` at a time. */
  work(handlers: RenderHandlers, { concurrency }: { concurrency: number }): RenderWorker {
    const workers = new Workers(this.#redis, this.#onError);
    const worker = workers.add<RenderJob>(queueName, (job, token) => this.#render(job, token, handlers), {
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledCheckMs,
      maxStalledCount: 2,
    });
    // A job that brought its worker down again and again; nothing else comes here.
    worker.on('failed', (job, error) => {
      this.#onError(error);
      if (job !== undefined) this.#media.fail(job.data.account, job.data.hash, unknownFailure).catch(this.#onError);
    });
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
      await this.#queue.close();
    })());
  }

  /**
   * One job; to BullMQ it never fails. Its outcome, good or bad, is in Media when this returns, unless Redis did not answer us: that is no fault of the
   * job's (this process may have been stopped), so nothing is told of it, and who waits asks again within a second.
   */
  async #render(held: Job<RenderJob>, token: string, handlers: RenderHandlers): Promise<void> {
    try {
      await this.#finish(held, token, handlers);
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  async #finish(held: Job<RenderJob>, token: string, handlers: RenderHandlers): Promise<void> {
    const job = held.data;
    const { account, hash } = job;
    // Drawn meanwhile: who asked for this job found it when they looked after asking, and nobody has to be woken.
    if ((await this.#media.find(account, hash, mediaTtlMs)) === null) {
      try {
        await this.#media.put(account, hash, job.kind === 'draw' ? await this.#draw(job, handlers) : await handlers.sound(job));
      } catch (error) {
        if (error instanceof StoreError && error.kind === 'unavailable') throw error;
        // Of a worker that was stopped for longer than its lock another one draws it now: that one's word counts.
        if ((await held.extendLock(token, lockMs)) !== 1) return;
        await this.#media.fail(account, hash, failureOf(error));
        if (!(error instanceof ApiError || error instanceof StoreError || error instanceof UploadGone)) this.#onError(error as Error);
        if (error instanceof UploadGone) return;
      }
    }
    if (job.kind === 'draw') await Promise.all(job.uploads.map((sha) => this.#uploads.drop(job, sha)));
  }

  async #draw(job: DrawJob, handlers: RenderHandlers): Promise<MadeMedia> {
    const uploads = new Map<string, Buffer>();
    for (const sha of job.uploads) {
      const bytes = await this.#uploads.take(job, sha);
      if (bytes === null) throw new UploadGone('an upload is gone');
      uploads.set(sha, bytes);
    }
    return handlers.draw(job, uploads);
  }
}

/** The job waited for longer than a minute, or is left from an equal one that was drawn. */
class UploadGone extends Error {}

const unknownFailure = { code: 'render_failed', error: 'The picture or sound could not be made.' } as const;

function failureOf(error: unknown): Parameters<Media['fail']>[2] {
  if (error instanceof UploadGone) return { ...unknownFailure, uploadGone: true };
  if (error instanceof BadPicture) return { code: error.code, error: error.message, upload: error.upload };
  if (error instanceof ApiError) return { code: error.code, error: error.message };
  if (error instanceof StoreError && error.kind === 'full') return { code: 'storage_full', error: error.message };
  return unknownFailure;
}
