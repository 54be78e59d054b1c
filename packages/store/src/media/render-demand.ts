/** Which renders callers wait for. Gateways enter demand before the job and renew it every second; entries of dead processes expire. */
import { ApiError, type RenderJob } from '@perch/schema';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import { formats } from '../redis/formats.js';
import type { Connections } from '../redis/connections.js';

export interface RenderShare {
  jobsMax: number;
  pixelsMax: number;
}

export const defaultRenderShare: RenderShare = { jobsMax: 64, pixelsMax: 64e6 };

/** Queues of their own: uploads, so that they never delay a question or a sound; speech, which waits for its engine. */
export type RenderQueue = 'scenes' | 'uploads' | 'speech';
export const renderQueues: readonly RenderQueue[] = ['scenes', 'uploads', 'speech'];

export const queueNames: Record<RenderQueue, string> = { scenes: 'render', uploads: 'render-uploads', speech: 'render-speech' };

export interface Want {
  job: RenderJob;
  pixels: number;
  flight: string;
}

export interface Entered {
  /** Renders of the account wanted in the job's queue, with this one. */
  priority: number;
  /** A renderer has the render; no job is needed. */
  isClaimed: boolean;
  /** The result, or a failure of the last seconds, is stored: nothing was entered. */
  isStored: boolean;
}

/** `renewed` never sends the render to a renderer. `unlessStored` also looks for the result, which only a single Redis can do in the same step. */
export type WantKind = 'new' | 'unlessStored' | 'renewed';

/** A gateway that did not renew its demand for this long has died, or its callers have timed out. */
const ttlMs = 5000;
/** A renderer renews its claim sooner if it draws for longer. One that did not receive the request, or died, is replaced through the queue. */
const claimTtlMs = 800;
/** As the lock of a job, from the first renewal on. */
const heldTtlMs = 4000;
/** A picture takes up to about a second. */
const retryAfterS = 1;

export class RenderDemand {
  readonly #redis: Connections;
  readonly #share: RenderShare;

  constructor(redis: Connections, share: RenderShare) {
    this.#redis = redis;
    this.#share = share;
  }

  /** @throws {ApiError} busy at the account's share; nothing is entered */
  async enter(want: Want, shard: number, kind: WantKind): Promise<Entered> {
    const { job } = want;
    const { jobsMax, pixelsMax } = this.#share;
    // A place is a slot for scenes. Uploads would have to be stored before the request, and speech takes long.
    const request =
      kind !== 'renewed' && queueOf(job) === 'scenes' ? `${Date.now()} ${JSON.stringify({ v: formats.render_job.writes, ...job })}` : '';
    const jobs = `${sharedKeys.jobs(shard)}:${queueNames[queueOf(job)]}`;
    const claim = sharedKeys.renderClaim(job.account, job.hash, shard);
    const keys = [
      keyOf(job, shard),
      claim,
      sharedKeys.renderPlaces(shard),
      `${jobs}:prioritized`,
      `${jobs}:wait`,
      kind === 'unlessStored' ? accountKeys.media(job.account, job.hash) : claim,
    ] as const;
    const args = [
      ...namesOf(want),
      jobsMax,
      pixelsMax,
      ttlMs,
      request,
      this.#redis.publishCommand,
      sharedKeys.rendererChannel('', shard),
      claimTtlMs,
    ];
    const reply = await this.#redis.script('renderWant', keys, args);
    if (reply[0] === 'queue' || reply[0] === 'claimed') return { priority: reply[1], isClaimed: reply[0] === 'claimed', isStored: false };
    if (reply[0] === 'stored') return { priority: 0, isClaimed: false, isStored: true };
    const bound = reply[0] === 'jobs' ? `${jobsMax} pictures and sounds` : `pictures of ${pixelsMax / 1e6} megapixels`;
    throw new ApiError('busy', `This account already has ${bound} waiting to be made, the maximum. Try again in ${retryAfterS} s.`, {
      retryAfterS,
    });
  }

  /** Renews the claim of a renderer. */
  async hold({ account, hash }: Pick<RenderJob, 'account' | 'hash'>, place: string, shard: number): Promise<{ isWanted: boolean; isHeld: boolean }> {
    const keys = [keyOf({ account }, shard), sharedKeys.renderClaim(account, hash, shard)] as const;
    const [wanted, held] = await this.#redis.script('renderHold', keys, [hash, place, heldTtlMs]);
    return { isWanted: wanted === 1, isHeld: held === 1 };
  }

  async leave(want: Want, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderLeave', [keyOf(want.job, shard)], namesOf(want))) === 1;
  }

  /** @param shard from which the job was taken: gateways with another number of shards have a job of their own elsewhere */
  async isWanted(job: Pick<RenderJob, 'account' | 'hash'>, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderWanted', [keyOf(job, shard)], [job.hash])) === 1;
  }
}

export function queueOf(job: RenderJob): RenderQueue {
  if (job.kind === 'speech') return 'speech';
  return job.kind === 'draw' && job.uploads.length > 0 ? 'uploads' : 'scenes';
}

const keyOf = ({ account }: Pick<RenderJob, 'account'>, shard: number) => sharedKeys.renderDemand(account, shard);
const namesOf = ({ job, pixels, flight }: Want) => [job.hash, queueOf(job), pixels, flight];
