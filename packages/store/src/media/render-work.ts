/** Processes render jobs for a renderer, unless no caller waits for the result any longer. */
import { DelayedError, type Job } from 'bullmq';
import { ApiError, BadPicture, type DrawJob, type RenderJob, type SoundJob, type SpeechJob } from '@perch/schema';
import { StoreError } from '../redis/errors.js';
import type { DirectRender } from './render-places.js';
import type { Forms } from '../redis/formats.js';
import type { GrowingSounds, SoundTake } from './growing-sounds.js';
import { mediaTtlMs, type MadeMedia, type Media } from './media.js';
import type { RenderDemand } from './render-demand.js';
import type { Uploads } from './uploads.js';

/** A dead worker is noticed after its lock and two checks, within 8 s: less than a caller waits (10 s for a picture on a robot). */
export const lockMs = 4000;
export const stalledCheckMs = 2000;
const demandCheckMs = 400;
/** Delay after which a job that this release cannot read is queued again. */
const othersAfterMs = 250;

/** direct: a gateway sent the render to a free place of this renderer. */
export type RenderWay = 'direct' | 'queue';

/** A render that this renderer must make, and how it learns that callers still wait for it, and that it is not another renderer's meanwhile. */
interface HeldRender {
  job: RenderJob;
  isWanted: () => Promise<boolean>;
  isHeld: () => Promise<boolean>;
}

export interface RenderHandlers {
  /** An ApiError (bad_picture) reaches the caller unchanged, others as render_failed. `uploads` by SHA-256. After an abort the outcome is ignored. */
  draw(job: DrawJob, uploads: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<MadeMedia>;
  sound(job: SoundJob, signal: AbortSignal): Promise<MadeMedia>;
  /** Robots play what `take` receives from the first samples on; what takes little time need not be appended. */
  speech(job: SpeechJob, take: Pick<SoundTake, 'append'>, signal: AbortSignal): Promise<MadeMedia>;
  /** @param waitedMs since a gateway added the job, by the clocks of both machines */
  taken?(job: RenderJob, waitedMs: number, way: RenderWay): void;
  dropped?(job: RenderJob): void;
}

export interface RenderWorkOptions {
  media: Media;
  uploads: Uploads;
  growing: GrowingSounds;
  demand: RenderDemand;
  forms: Forms;
  handlers: RenderHandlers;
  onError: (error: Error) => void;
}

export class RenderWork {
  readonly #media: Media;
  readonly #uploads: Uploads;
  readonly #growing: GrowingSounds;
  readonly #demand: RenderDemand;
  readonly #forms: Forms;
  readonly #handlers: RenderHandlers;
  readonly #onError: (error: Error) => void;

  constructor({ media, uploads, growing, demand, forms, handlers, onError }: RenderWorkOptions) {
    this.#media = media;
    this.#uploads = uploads;
    this.#growing = growing;
    this.#demand = demand;
    this.#forms = forms;
    this.#handlers = handlers;
    this.#onError = onError;
  }

  /** A job never fails for BullMQ: its outcome is in Media, unless Redis did not answer. Then nothing is stored, and callers request it again. */
  async run(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    try {
      if (this.#forms.fits('render_job', held.data)) await this.#finish(held, token, shard);
      else await this.#leaveToOthers(held, token, shard);
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      this.#onError(error as Error);
    }
  }

  /** @returns false: nothing was stored, and the caller leaves the render to the queue. Never rejects */
  async runDirect({ place, shard, sentAt, job: sent }: DirectRender): Promise<boolean> {
    try {
      if (!this.#forms.fits('render_job', sent)) return false;
      const job = sent as RenderJob;
      this.#handlers.taken?.(job, Math.max(0, Date.now() - sentAt), 'direct');
      // The script that sent it has entered the demand, and the gateway had found no result.
      return await this.#made({
        job,
        isWanted: async () => (await this.#demand.hold(job, place, shard)).isWanted,
        isHeld: async () => (await this.#demand.hold(job, place, shard)).isHeld,
      });
    } catch (error) {
      this.#onError(error as Error);
      return false;
    }
  }

  /** Requeues a job of a later release while a caller waits, for a renderer that reads it. Without `account` and `hash`, which all have: dropped. */
  async #leaveToOthers(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    const { account, hash } = (held.data ?? {}) as Partial<RenderJob>;
    if (typeof account !== 'string' || typeof hash !== 'string' || !(await this.#demand.isWanted({ account, hash }, shard))) return;
    await held.moveToDelayed(Date.now() + othersAfterMs, token);
    throw new DelayedError();
  }

  async failed({ account, hash }: RenderJob): Promise<void> {
    await this.#media.fail(account, hash, unknownFailure);
  }

  async #finish(held: Job<RenderJob>, token: string, shard: number): Promise<void> {
    const job = held.data;
    const { account, hash } = job;
    this.#handlers.taken?.(job, Math.max(0, Date.now() - held.timestamp), 'queue');
    const render: HeldRender = {
      job,
      isWanted: () => this.#demand.isWanted(job, shard),
      isHeld: async () => (await held.extendLock(token, lockMs)) === 1,
    };
    const [found, wanted] = await Promise.all([this.#media.find(account, hash, mediaTtlMs), this.#demand.isWanted(job, shard)]);
    // If found, it was rendered meanwhile, and callers found it when they checked after their request.
    if (found === null && !wanted) this.#handlers.dropped?.(job);
    else if (found === null && !(await this.#made(render))) return;
    if (job.kind === 'draw') await Promise.all(job.uploads.map((sha) => this.#uploads.drop(job, sha)));
  }

  /** @returns false when another worker must delete the uploads, or they have expired */
  async #made({ job, isWanted, isHeld }: HeldRender): Promise<boolean> {
    const { account, hash } = job;
    const unwanted = new AbortController();
    const take = job.kind === 'speech' ? this.#growing.take(account, hash, job.rate) : null;
    const check = setInterval(() => {
      // Once a robot plays it, no caller waits, and it is still needed.
      if (take?.begun === true) return;
      // No reply from Redis says nothing about the callers.
      isWanted().then(
        (wanted) => {
          if (!wanted && take?.begun !== true) unwanted.abort(new Error('no caller waits for the render any longer'));
        },
        () => {},
      );
    }, demandCheckMs);
    try {
      const made = await this.#make(job, take, unwanted.signal);
      await take?.end();
      await this.#media.put(account, hash, made, job.kind === 'draw' ? job.keepMs : undefined);
    } catch (error) {
      await take?.fail().catch(() => {});
      if (unwanted.signal.aborted) {
        this.#handlers.dropped?.(job);
        return true;
      }
      if (error instanceof StoreError && error.kind === 'unavailable') throw error;
      // After a pause longer than the lock, another worker renders the job, and its outcome counts.
      if (!(await isHeld())) return false;
      await this.#media.fail(account, hash, failureOf(error));
      if (!(error instanceof ApiError || error instanceof StoreError || error instanceof UploadGone)) this.#onError(error as Error);
      if (error instanceof UploadGone) return false;
    } finally {
      clearInterval(check);
    }
    return true;
  }

  #make(job: RenderJob, take: SoundTake | null, signal: AbortSignal): Promise<MadeMedia> {
    if (job.kind === 'draw') return this.#draw(job, signal);
    return job.kind === 'sound' ? this.#handlers.sound(job, signal) : this.#handlers.speech(job, take!, signal);
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

/** The job waited longer than a minute, or is left over from an equal one. */
class UploadGone extends Error {}

const unknownFailure = { code: 'render_failed', error: 'The picture or sound could not be made.' } as const;

function failureOf(error: unknown): Parameters<Media['fail']>[2] {
  if (error instanceof UploadGone) return { ...unknownFailure, uploadGone: true };
  if (error instanceof BadPicture) return { code: error.code, error: error.message, upload: error.upload };
  if (error instanceof ApiError)
    return error.field === undefined ? { code: error.code, error: error.message } : { code: error.code, error: error.message, field: error.field };
  if (error instanceof StoreError && error.kind === 'full') return { code: 'storage_full', error: error.message };
  return unknownFailure;
}
