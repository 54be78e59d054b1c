/**
 * Which renders callers wait for, by account: the basis of an account's share and of dropping jobs that nobody waits for.
 *
 * Each gateway enters its demand before it asks for the job, renews it every second, and withdraws it when its last caller leaves. What a
 * gateway that died had entered expires. Jobs and pixels of an account are counted from these entries, so no counter can be left behind by a
 * gateway, a renderer or a job that ended in an unexpected way.
 */
import { ApiError, type RenderJob } from '@perch/schema';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/** What one account may have waiting or being made at the same time. */
export interface RenderShare {
  jobsMax: number;
  pixelsMax: number;
}

export const defaultRenderShare: RenderShare = { jobsMax: 64, pixelsMax: 64e6 };

/** Jobs with uploaded pictures have a queue of their own, so that they never keep a question or a sound waiting. */
export type RenderQueue = 'scenes' | 'uploads';
export const renderQueues: readonly RenderQueue[] = ['scenes', 'uploads'];

/** One gateway's demand for one render. */
export interface Want {
  job: RenderJob;
  /** What the share counts for it. */
  pixels: number;
  /** Tells this demand from others for the same render. */
  flight: string;
}

/** A gateway renews its demand every second; one that did not for this long has died, or its callers were answered by time-outs. */
const ttlMs = 5000;
/** Sent as Retry-After: a picture takes up to about a second. */
const retryAfterS = 1;

export class RenderDemand {
  readonly #redis: Connections;
  readonly #share: RenderShare;

  constructor(redis: Connections, share: RenderShare) {
    this.#redis = redis;
    this.#share = share;
  }

  /**
   * Enters or renews a demand.
   * @returns how many renders of the account are wanted in the job's queue, this one included
   * @throws {ApiError} busy, when the account's share is used up; nothing is entered
   * @param shard of the account's jobs
   * @throws {StoreError} when Redis does not answer
   */
  async enter(want: Want, shard: number): Promise<number> {
    const { jobsMax, pixelsMax } = this.#share;
    const args = [...namesOf(want), jobsMax, pixelsMax, ttlMs];
    const [outcome, position] = (await this.#redis.script('renderWant', [keyOf(want.job, shard)], args)) as [string, number?];
    if (outcome === 'ok') return position!;
    const bound = outcome === 'jobs' ? `${jobsMax} pictures and sounds` : `pictures of ${pixelsMax / 1e6} megapixels`;
    throw new ApiError('busy', `This account already has ${bound} waiting to be made, as many as it may have. Try again in ${retryAfterS} s.`, {
      retryAfterS,
    });
  }

  /** Withdraws a demand. @returns whether another gateway still wants the render */
  async leave(want: Want, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderLeave', [keyOf(want.job, shard)], namesOf(want))) === 1;
  }

  /** @param shard that the job was taken from: gateways of another number of shards enter their demand elsewhere, beside a job of their own */
  async isWanted(job: Pick<RenderJob, 'account' | 'hash'>, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderWanted', [keyOf(job, shard)], [job.hash])) === 1;
  }
}

export function queueOf(job: RenderJob): RenderQueue {
  return job.kind === 'draw' && job.uploads.length > 0 ? 'uploads' : 'scenes';
}

const keyOf = ({ account }: Pick<RenderJob, 'account'>, shard: number) => sharedKeys.renderDemand(account, shard);
const namesOf = ({ job, pixels, flight }: Want) => [job.hash, queueOf(job), pixels, flight];
