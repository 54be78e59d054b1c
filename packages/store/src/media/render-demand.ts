/**
 * Tracks which renders callers wait for, by account: the basis of an account's share and of dropping unwanted jobs.
 *
 * Each gateway enters its demand before it requests the job, renews it every second, and withdraws it when its last caller leaves. The demand of a
 * dead gateway expires. Jobs and pixels of an account are counted from these entries, so no gateway, renderer or job that ends unexpectedly can leave
 * a wrong counter.
 */
import { ApiError, type RenderJob } from '@perch/schema';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

/** Maximum renders of one account that are queued or running. */
export interface RenderShare {
  jobsMax: number;
  pixelsMax: number;
}

export const defaultRenderShare: RenderShare = { jobsMax: 64, pixelsMax: 64e6 };

/** Jobs with uploaded pictures have a queue of their own, so that they never delay a question or a sound. */
export type RenderQueue = 'scenes' | 'uploads';
export const renderQueues: readonly RenderQueue[] = ['scenes', 'uploads'];

export interface Want {
  job: RenderJob;
  /** Pixels that count towards the account's share. */
  pixels: number;
  /** Distinguishes this demand from others for the same render. */
  flight: string;
}

/** Lifetime of a demand. A gateway renews it every second; one that did not for this long has died, or its callers have timed out. */
const ttlMs = 5000;
/** Value of Retry-After: a picture takes up to about a second. */
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
   * @param shard job shard of the account
   * @returns number of renders of the account wanted in the job's queue, including this one
   * @throws {ApiError} busy, when the account's share is used up; nothing is entered
   * @throws {StoreError} when Redis does not answer
   */
  async enter(want: Want, shard: number): Promise<number> {
    const { jobsMax, pixelsMax } = this.#share;
    const args = [...namesOf(want), jobsMax, pixelsMax, ttlMs];
    const [outcome, position] = (await this.#redis.script('renderWant', [keyOf(want.job, shard)], args)) as [string, number?];
    if (outcome === 'ok') return position!;
    const bound = outcome === 'jobs' ? `${jobsMax} pictures and sounds` : `pictures of ${pixelsMax / 1e6} megapixels`;
    throw new ApiError('busy', `This account already has ${bound} waiting to be made, the maximum. Try again in ${retryAfterS} s.`, {
      retryAfterS,
    });
  }

  /** Withdraws a demand. @returns whether another gateway still wants the render */
  async leave(want: Want, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderLeave', [keyOf(want.job, shard)], namesOf(want))) === 1;
  }

  /**
   * Returns whether a render is wanted. @param shard shard from which the job was taken: gateways with another number of shards enter their demand
   * elsewhere, with a job of their own
   */
  async isWanted(job: Pick<RenderJob, 'account' | 'hash'>, shard: number): Promise<boolean> {
    return (await this.#redis.script('renderWanted', [keyOf(job, shard)], [job.hash])) === 1;
  }
}

export function queueOf(job: RenderJob): RenderQueue {
  return job.kind === 'draw' && job.uploads.length > 0 ? 'uploads' : 'scenes';
}

const keyOf = ({ account }: Pick<RenderJob, 'account'>, shard: number) => sharedKeys.renderDemand(account, shard);
const namesOf = ({ job, pixels, flight }: Want) => [job.hash, queueOf(job), pixels, flight];
