/** Processes render jobs for a renderer: takes a job, renders it, and stores the outcome, unless no caller waits for it any longer. */
import { DelayedError, type Job } from 'bullmq';
import { ApiError, BadPicture, type DrawJob, type RenderJob, type SoundJob } from '@perch/schema';
import { StoreError } from '../errors.js';
import type { Forms } from '../versions/forms.js';
import { mediaTtlMs, type MadeMedia, type Media } from './media.js';
import type { RenderDemand } from './render-demand.js';
import type { Uploads } from './uploads.js';

/** A dead worker is noticed when its lock has expired and two checks have passed: within 8 s, less than a caller waits (10 s for a picture on a robot). */
export const lockMs = 4000;
export const stalledCheckMs = 2000;
const demandCheckMs = 400;
/** Delay after which a job that this release cannot read is queued again. */
const othersAfterMs = 250;

export interface RenderHandlers {
  /**
   * Draws a scene. Errors reach the caller: an ApiError (bad_picture) unchanged, others as render_failed.
   * @param uploads the bytes of all of the job's uploads, by SHA-256
   * @param signal aborts when no caller waits for the picture any longer; the outcome is then ignored
   */
  draw(job: DrawJob, uploads: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<MadeMedia>;
  /** Synthesizes a sound, with the same rules. */
  sound(job: SoundJob, signal: AbortSignal): Promise<MadeMedia>;
  /** Called when a worker took a job. @param waitedMs time since a gateway added it, by the clocks of both machines */
  taken?(job: RenderJob, waitedMs: number): void;
  /** Called when a job was dropped because no caller waits for it, before or during the render. */
  dropped?(job: RenderJob): void;
}

export interface RenderWorkOptions {
  media: Media;
  uploads: Uploads;
  demand: RenderDemand;
  forms: Forms;
  handlers: RenderHandlers;
  onError: (error: Error) => void;
}

export class RenderWork {
  readonly #media: Media;
  readonly #uploads: Uploads;
  readonly #demand: RenderDemand;
  readonly #forms: Forms;
  readonly #handlers: RenderHandlers;
  readonly #onError: (error: Error) => void;

  constructor({ media, uploads, demand, forms, handlers, onError }: RenderWorkOptions) {
    this.#media = media;
    this.#uploads = uploads;
    this.#demand = demand;
    this.#forms = forms;
    this.#handlers = handlers;
    this.#onError = onError;
  }

  /**
   * Processes one job; for BullMQ it never fails. Its outcome, good or bad, is in Media when this returns, unless Redis did not answer: that is not
   * the job's fault (this process may have been paused), so nothing is stored, and callers request it again within a second.
   */
  async run(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    try {
      if (this.#forms.fits('render_job', held.data)) await this.#finish(held, token, shard);
      else await this.#leaveToOthers(held, token, shard);
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      this.#onError(error as Error);
    }
  }

  /**
   * Returns a job of a later release to the queue for a renderer that reads it, as long as a caller waits; callers give up after 13 s. Every version
   * has `account` and `hash`; a job without them is dropped.
   */
  async #leaveToOthers(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    const { account, hash } = (held.data ?? {}) as Partial<RenderJob>;
    if (typeof account !== 'string' || typeof hash !== 'string' || !(await this.#demand.isWanted({ account, hash }, shard))) return;
    await held.moveToDelayed(Date.now() + othersAfterMs, token);
    throw new DelayedError();
  }

  /** Stores the failure of a job that brought down its worker repeatedly. */
  async failed({ account, hash }: RenderJob): Promise<void> {
    await this.#media.fail(account, hash, unknownFailure);
  }

  async #finish(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    const job = held.data;
    const { account, hash } = job;
    this.#handlers.taken?.(job, Math.max(0, Date.now() - held.timestamp));
    const [found, wanted] = await Promise.all([this.#media.find(account, hash, mediaTtlMs), this.#demand.isWanted(job, shard)]);
    // If found, it was rendered meanwhile, and callers found it when they checked after their request. None needs to be notified.
    if (found === null && !wanted) this.#handlers.dropped?.(job);
    else if (found === null && !(await this.#made(held, token, shard))) return;
    if (job.kind === 'draw') await Promise.all(job.uploads.map((sha) => this.#uploads.drop(job, sha)));
  }

  /** Renders the job and stores the outcome. @returns false when another worker must delete the uploads, or they have expired */
  async #made(held: Job<RenderJob>, token: string, shard: number): Promise<boolean> {
    const job = held.data;
    const { account, hash } = job;
    const unwanted = new AbortController();
    const check = setInterval(() => {
      // No reply from Redis says nothing about the callers.
      this.#demand.isWanted(job, shard).then(
        (wanted) => {
          if (!wanted) unwanted.abort(new Error('no caller waits for the render any longer'));
        },
        () => {},
      );
    }, demandCheckMs);
    try {
      const made = job.kind === 'draw' ? await this.#draw(job, unwanted.signal) : await this.#handlers.sound(job, unwanted.signal);
      await this.#media.put(account, hash, made);
    } catch (error) {
      if (unwanted.signal.aborted) {
        this.#handlers.dropped?.(job);
        return true;
      }
      if (error instanceof StoreError && error.kind === 'unavailable') throw error;
      // If this worker was paused for longer than its lock, another one renders the job now, and its outcome counts.
      if ((await held.extendLock(token, lockMs)) !== 1) return false;
      await this.#media.fail(account, hash, failureOf(error));
      if (!(error instanceof ApiError || error instanceof StoreError || error instanceof UploadGone)) this.#onError(error as Error);
      if (error instanceof UploadGone) return false;
    } finally {
      clearInterval(check);
    }
    return true;
  }

  async #draw(job: DrawJob, unwanted: AbortSignal): Promise<MadeMedia> {
    const uploads = new Map<string, Buffer>();
    for (const sha of job.uploads) {
      const bytes = await this.#uploads.take(job, sha);
      if (bytes === null) throw new UploadGone('an upload is gone');
      uploads.set(sha, bytes);
    }
    return this.#handlers.draw(job, uploads, unwanted);
  }
}

/** The job waited for longer than a minute, or is left over from an equal one that was rendered or dropped. */
class UploadGone extends Error {}

const unknownFailure = { code: 'render_failed', error: 'The picture or sound could not be made.' } as const;

function failureOf(error: unknown): Parameters<Media['fail']>[2] {
  if (error instanceof UploadGone) return { ...unknownFailure, uploadGone: true };
  if (error instanceof BadPicture) return { code: error.code, error: error.message, upload: error.upload };
  if (error instanceof ApiError) return { code: error.code, error: error.message };
  if (error instanceof StoreError && error.kind === 'full') return { code: 'storage_full', error: error.message };
  return unknownFailure;
}
