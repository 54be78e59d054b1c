/** Returns pictures and sounds from Redis, or has them made by a renderer. */
import { createHash, randomUUID } from 'node:crypto';
import { ApiError, BadPicture, type DrawJob, type MediaRef, type RenderJob, type SoundJob, type TraceField } from '@perch/schema';
import { StoreError } from '../errors.js';
import type { Jobs } from '../jobs/jobs.js';
import { accountKeys } from '../keys.js';
import type { Media, RenderFailure } from './media.js';
import type { Connections } from '../redis/connections.js';
import type { Want } from './render-demand.js';
import type { Uploads } from './uploads.js';

/** Maximum time that a caller waits for a render; a dead renderer is noticed and replaced sooner (render-work.ts). */
const renderWithinMs = 13_000;
/** A generated scene has as many pixels as the screen. */
const screenPixels = 320 * 240;
/**
 * Notifications are hints and may be lost: at this interval the key is read, the demand renewed, and the job requested again, which changes nothing
 * while it exists.
 */
const lookEveryMs = 1000;
/** After this time the most likely cause of a missing render is that nothing works on its shard, so that is checked. */
const workersCheckedAfterMs = 3000;
const sendsMax = 3;

export interface ObtainOptions {
  /** Minimum remaining lifetime of the result. */
  ttlMs: number;
  signal?: AbortSignal;
  /** The bytes of the job's uploads, by SHA-256; sent to Redis only if the picture must be rendered. */
  uploads?: ReadonlyMap<string, Buffer>;
  /** Pixels that the renderer decodes for the job's uploads; count towards the account's share. */
  pixels?: number;
  /** The caller's span, if sampled; the render continues its trace. */
  trace?: TraceField;
  /** Called with the span of the render that made the result, if sampled; another call may have started it. */
  madeBy?: (trace: TraceField) => void;
}

interface Obtained {
  ref: MediaRef;
  trace?: TraceField;
}

interface Flight {
  result: Promise<Obtained>;
  ttlMs: number;
  callers: number;
  abandon: AbortController;
}

export class Renders {
  readonly #redis: Connections;
  readonly #media: Media;
  readonly #uploads: Uploads;
  readonly #jobs: Jobs;
  readonly #flights = new Map<string, Flight>();

  constructor(redis: Connections, media: Media, uploads: Uploads, jobs: Jobs) {
    this.#redis = redis;
    this.#media = media;
    this.#uploads = uploads;
    this.#jobs = jobs;
  }

  /** Number of renders being requested now, for metrics and leak checks. */
  get size(): number {
    return this.#flights.size;
  }

  /**
   * Returns the finished picture or sound of a job. One that is in Redis costs one command and no job; concurrent equal requests, on any number of
   * instances, share one job.
   * @throws {BadPicture} when an upload cannot be decoded
   * @throws {ApiError} render_failed (also: not within 13 s), storage_full, busy (the account has used up its share of waiting renders)
   * @throws {StoreError} unavailable, when Redis does not answer
   */
  async obtain(job: RenderJob, options: ObtainOptions): Promise<MediaRef> {
    options.signal?.throwIfAborted();
    const name = `${job.account}:${job.hash}`;
    let flight = this.#flights.get(name);
    if (flight === undefined) {
      const abandon = new AbortController();
      flight = { result: this.#obtain(job, options, abandon.signal), ttlMs: options.ttlMs, callers: 0, abandon };
      this.#flights.set(name, flight);
      const leave = () => {
        if (this.#flights.get(name) === flight) this.#flights.delete(name);
      };
      flight.result.then(leave, leave);
    }
    flight.callers += 1;
    try {
      const { ref, trace } = await unlessAborted(flight.result, options.signal);
      if (trace !== undefined) options.madeBy?.(trace);
      // Another caller started the flight and may need a shorter lifetime.
      return flight.ttlMs >= options.ttlMs ? ref : ((await this.#media.find(job.account, job.hash, options.ttlMs)) ?? ref);
    } finally {
      flight.callers -= 1;
      if (flight.callers === 0) {
        flight.abandon.abort();
        if (this.#flights.get(name) === flight) this.#flights.delete(name);
      }
    }
  }

  async #obtain(job: RenderJob, options: ObtainOptions, abandoned: AbortSignal): Promise<Obtained> {
    const { account, hash } = job;
    const first = await this.#media.look(account, hash, options.ttlMs);
    if (first.ref !== null) return first;
    // An undecodable picture stays undecodable. Any other failure belongs to an earlier request.
    if (first.failure?.code === 'bad_picture') throw errorOf(first.failure);
    try {
      const traced = options.trace === undefined ? job : { ...job, trace: options.trace };
      return await this.#render(traced, options, first.failure?.id, abandoned);
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'full') throw new ApiError('storage_full', error.message, { cause: error });
      throw error;
    }
  }

  /** Subscribes, requests the job, and waits for its outcome. @param known id of the failure stored before this request */
  async #render(job: RenderJob, options: ObtainOptions, known: string | undefined, abandoned: AbortSignal): Promise<Obtained> {
    const { account, hash } = job;
    const deadline = performance.now() + renderWithinMs;
    const want: Want = { job, pixels: screenPixels + (options.pixels ?? 0), flight: randomUUID() };
    const changed = new AsyncSignal();
    // In parallel: neither needs the other, and both precede the job.
    const [subscribed, entered] = await Promise.allSettled([
      this.#redis.subscriber.subscribe(accountKeys.mediaChannel(account, hash), () => changed.set()),
      this.#jobs.want(want),
    ]);
    let jobId: string | null = null;
    try {
      if (subscribed.status === 'rejected') throw subscribed.reason;
      if (entered.status === 'rejected') throw entered.reason;
      let priority = entered.value;
      let sends = true;
      let requests = true;
      let sendsLeft = sendsMax;
      for (;;) {
        abandoned.throwIfAborted();
        if (sends) await this.#send(job, options.uploads);
        if (requests) jobId = await this.#jobs.request(job, priority);
        const found = await this.#media.look(account, hash, options.ttlMs);
        const { failure } = found;
        const isNew = failure !== null && failure.id !== known;
        const isFinal = isNew && (!failure.uploadGone || --sendsLeft === 0);
        if (found.ref !== null || isFinal) jobId = null;
        if (found.ref !== null) return found;
        if (isFinal) throw errorOf(failure);
        const waitedMs = renderWithinMs - (deadline - performance.now());
        if (waitedMs >= workersCheckedAfterMs) await this.#jobs.requireWorkers(account);
        if (performance.now() >= deadline) throw new ApiError('render_failed', 'The picture or sound was not made in time. Try again.');
        sends = isNew;
        if (isNew) known = failure.id;
        // After a notification the outcome is read first; after a time-out, or when uploads had expired, the job is requested again.
        requests = isNew || !(await changed.wait(Math.min(lookEveryMs, deadline - performance.now()), abandoned));
        if (requests) priority = await this.#jobs.want(want);
      }
    } finally {
      if (subscribed.status === 'fulfilled') subscribed.value();
      if (entered.status === 'fulfilled') this.#jobs.leave(want, jobId);
    }
  }

  async #send(job: RenderJob, uploads: ReadonlyMap<string, Buffer> | undefined): Promise<void> {
    if (job.kind !== 'draw') return;
    for (const sha of job.uploads) {
      const bytes = uploads?.get(sha);
      if (bytes !== undefined) await this.#uploads.put(job, sha, bytes);
    }
  }
}

/** Returns the hash under which a job's result is stored: of all inputs, whatever the order of the fields. It excludes the account, which is in the key. */
export function renderHash(job: Omit<DrawJob, 'hash'> | Omit<SoundJob, 'hash'>): string {
  return createHash('sha256')
    .update(JSON.stringify({ ...job, account: undefined, hash: undefined }, sorted))
    .digest('hex');
}

function errorOf({ code, error, upload }: RenderFailure): ApiError {
  return upload === undefined ? new ApiError(code, error) : new BadPicture(upload, error);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A flag that can be awaited. A flag set while nothing waits is not lost. */
class AsyncSignal {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Waits until the flag is set and resets it. @returns false when the time-out elapsed first */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (!this.#isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, timeoutMs));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', this.#wake, { once: true });
      });
      if (this.#wake !== null) signal.removeEventListener('abort', this.#wake);
      this.#wake = null;
    }
    signal.throwIfAborted();
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => signal.addEventListener('abort', (stop = () => reject(signal.reason)), { once: true })),
    ]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
