import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AsyncSignal, sha256, sortedJson } from '@perch/runtime/plain';
import {
  ApiError,
  BadPicture,
  type DrawJob,
  type MediaRef,
  limits,
  type RenderJob,
  type SoundJob,
  type SpeechJob,
  type TraceField,
} from '@perch/schema';
import { StoreError } from '../redis/errors.js';
import { leftMessage, type RenderJobs } from './render-jobs.js';
import { accountKeys } from '../redis/keys.js';
import type { GrowingSounds } from './growing-sounds.js';
import type { Media, MediaResult, RenderFailure } from './media.js';
import type { Connections } from '../redis/connections.js';
import { queueOf, type Want } from './render-demand.js';
import type { Uploads } from './uploads.js';

/** A dead renderer is noticed and replaced sooner (render-work.ts). */
const renderWithinMs = 13_000;
/** The engine's time, and that of a job that waits for a renderer. */
const speechWithinMs = limits.speak.engineMs + 5000;
const screenPixels = 320 * 240;
/** Notifications may be lost: at this interval the key is read, the demand renewed, and the job requested again, a no-op while it exists. */
const checkEveryMs = 1000;
/** The most likely cause of a later render is that nothing works on its shard. */
const workersCheckedAfterMs = 3000;
const sendsMax = 3;
const obtainedMax = 20_000;
const noCallers = new Error('no caller waits for the render any longer');

export interface ObtainOptions {
  ttlMs: number;
  signal?: AbortSignal;
  /** By SHA-256; sent to Redis only if the picture must be rendered. */
  uploads?: ReadonlyMap<string, Buffer>;
  /** Decoded for the job's uploads; count towards the account's share. */
  pixels?: number;
  /** The caller's span, if sampled; the render continues its trace. */
  trace?: TraceField;
  /** Called with the span of the render, if sampled; another call may have started it. */
  madeBy?: (trace: TraceField) => void;
  /** Of speech: return it as soon as it begins, as a growing sound. */
  takesGrowing?: boolean;
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
  readonly #growing: GrowingSounds;
  readonly #jobs: RenderJobs;
  readonly #flights = new Map<string, Flight>();
  /** Media that this instance obtained before are probably stored: looked up alone, they cost one command. */
  readonly #obtained = new LRUCache<string, true>({ max: obtainedMax });

  constructor(redis: Connections, media: Media, uploads: Uploads, growing: GrowingSounds, jobs: RenderJobs) {
    this.#redis = redis;
    this.#media = media;
    this.#uploads = uploads;
    this.#growing = growing;
    this.#jobs = jobs;
  }

  get size(): number {
    return this.#flights.size;
  }

  /**
   * A result in Redis costs one command and no job; concurrent equal requests, on any number of instances, share one job. @throws {BadPicture}
   * @throws {ApiError} render_failed (also: not within 13 s), storage_full, busy (the account's share); of speech also speech_failed (also: not
   * within 35 s), not_offered and bad_argument
   */
  async obtain(job: RenderJob, options: ObtainOptions): Promise<MediaRef> {
    options.signal?.throwIfAborted();
    const name = `${job.account}:${job.hash}${options.takesGrowing === true ? ':growing' : ''}`;
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
      if (ref.kind === 'sound' && ref.growing === true) return ref;
      return flight.ttlMs >= options.ttlMs ? ref : ((await this.#media.find(job.account, job.hash, options.ttlMs)) ?? ref);
    } finally {
      flight.callers -= 1;
      if (flight.callers === 0) {
        // A reason of its own: without one, an error with its stack is made for each render.
        flight.abandon.abort(noCallers);
        if (this.#flights.get(name) === flight) this.#flights.delete(name);
      }
    }
  }

  async #obtain(job: RenderJob, options: ObtainOptions, abandoned: AbortSignal): Promise<Obtained> {
    const name = `${job.account}:${job.hash}`;
    // On a Cluster, result and demand are on different nodes.
    const looksFirst = this.#redis.isCluster || queueOf(job) !== 'scenes' || this.#obtained.has(name);
    const first = looksFirst ? await this.#findResult(job, options) : null;
    const obtainedBefore = first === null ? null : resultOf(first);
    if (obtainedBefore !== null) return obtainedBefore;
    try {
      const traced = options.trace === undefined ? job : { ...job, trace: options.trace };
      const obtained = await this.#render(traced, options, first, abandoned);
      this.#obtained.set(name, true);
      return obtained;
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'full') throw new ApiError('storage_full', error.message, { cause: error });
      throw error;
    }
  }

  /** @param first found before; null: the look-up is sent with the demand, which is then entered only if nothing is stored */
  async #render(job: RenderJob, options: ObtainOptions, first: MediaResult | null, abandoned: AbortSignal): Promise<Obtained> {
    const { account, hash } = job;
    const withinMs = job.kind === 'speech' ? speechWithinMs : renderWithinMs;
    const deadline = performance.now() + withinMs;
    const want: Want = { job, pixels: screenPixels + (options.pixels ?? 0), flight: randomUUID() };
    const changed = new AsyncSignal();
    let announced: MediaResult | null = null;
    let isLeft = false;
    // In parallel: none needs the other, and all precede the job.
    const [looked, subscribed, entered] = await Promise.allSettled([
      first ?? this.#findResult(job, options),
      this.#redis.subscriber.subscribe(accountKeys.mediaChannel(account, hash), (message) => {
        if (message === leftMessage) isLeft = true;
        announced = message === null ? null : this.#media.announced(message, options.ttlMs);
        changed.set();
      }),
      this.#jobs.want(want, first === null ? 'unlessStored' : 'new'),
    ]);
    let jobId: string | null = null;
    let isEntered = entered.status === 'fulfilled' && !entered.value.isStored;
    try {
      valueOf(subscribed);
      let entry = valueOf(entered);
      const stored = valueOf(looked);
      const obtainedBefore = resultOf(stored);
      if (obtainedBefore !== null) return obtainedBefore;
      let known = stored.failure?.id;
      if (entry.isStored) {
        // A failure, or a result since the look-up, which is read below.
        entry = await this.#jobs.want(want, 'new');
        isEntered = true;
      }
      let { priority, isClaimed } = entry;
      let sends = true;
      let requests = true;
      let sendsLeft = sendsMax;
      let isFirst = true;
      let wasLate = false;
      for (;;) {
        abandoned.throwIfAborted();
        let both: [requested: string | null, read: MediaResult];
        try {
          if (requests && !isFirst) {
            isLeft = false;
            ({ priority, isClaimed } = await this.#jobs.want(want));
          }
          if (sends) await this.#send(job, options.uploads);
          // Read beside the request: what is stored from now on is announced.
          both = await Promise.all([requests && !isClaimed ? this.#jobs.request(job, priority) : null, announced ?? this.#findResult(job, options)]);
          wasLate = false;
        } catch (error) {
          // The render is requested: a reply that a busy Redis owes is like a lost notification, and the next attempt does everything again.
          if ((isFirst && !isClaimed) || wasLate || !(error instanceof StoreError && error.kind === 'unavailable')) throw error;
          wasLate = true;
          isFirst = false;
          requests = true;
          await changed.wait(Math.min(checkEveryMs, deadline - performance.now()), abandoned);
          continue;
        }
        isFirst = false;
        if (both[0] !== null) jobId = both[0];
        const found: MediaResult = announced ?? both[1];
        const { failure } = found;
        const isNew = failure !== null && failure.id !== known;
        const isFinal = isNew && (!failure.uploadGone || --sendsLeft === 0);
        if (found.ref !== null || isFinal) jobId = null;
        if (found.ref !== null) return found;
        if (isFinal) throw errorOf(failure);
        const waitedMs = withinMs - (deadline - performance.now());
        if (waitedMs >= workersCheckedAfterMs) await this.#jobs.requireWorkers(account);
        if (performance.now() >= deadline) throw notInTime(job);
        sends = isNew;
        if (isNew) known = failure.id;
        // A notification: read the outcome first. A time-out, expired uploads, or a renderer that left the render to the queue: request the job.
        requests = isNew || !(await changed.wait(Math.min(checkEveryMs, deadline - performance.now()), abandoned)) || isLeft;
      }
    } finally {
      if (subscribed.status === 'fulfilled') subscribed.value();
      if (isEntered) this.#jobs.leave(want, jobId);
    }
  }

  async #findResult({ account, hash }: RenderJob, { ttlMs, takesGrowing }: ObtainOptions): Promise<MediaResult> {
    const found = await this.#media.findResult(account, hash, ttlMs);
    if (found.ref !== null || takesGrowing !== true) return found;
    const ref = await this.#growing.find(account, hash);
    return ref === null ? found : { ref, failure: null };
  }

  async #send(job: RenderJob, uploads: ReadonlyMap<string, Buffer> | undefined): Promise<void> {
    if (job.kind !== 'draw') return;
    for (const sha of job.uploads) {
      const bytes = uploads?.get(sha);
      if (bytes !== undefined) await this.#uploads.put(job, sha, bytes);
    }
  }
}

/** Raise it when the same job is drawn or synthesized differently: media in steady use would outlive the upgrade. */
const renderVersion = 2;

/** Hashes all inputs, whatever the order of the fields, but neither the account, which is in the key, nor how long the result is kept. */
export function renderHash(job: Omit<DrawJob, 'hash'> | Omit<SoundJob, 'hash'> | Omit<SpeechJob, 'hash'>): string {
  return sha256(sortedJson({ ...job, account: undefined, hash: undefined, keepMs: undefined, renderVersion }));
}

function errorOf({ code, error, upload, field }: RenderFailure): ApiError {
  return upload === undefined ? new ApiError(code, error, { field }) : new BadPicture(upload, error);
}

function notInTime({ kind }: RenderJob): ApiError {
  if (kind === 'speech') return new ApiError('speech_failed', `The speech was not made within ${speechWithinMs / 1000} s. Try again.`);
  return new ApiError('render_failed', 'The picture or sound was not made in time. Try again.');
}

/** @throws {BadPicture} an undecodable picture stays undecodable; any other failure belongs to an earlier request */
function resultOf(found: MediaResult): Obtained | null {
  if (found.ref !== null) return found;
  if (found.failure?.code === 'bad_picture') throw errorOf(found.failure);
  return null;
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
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
