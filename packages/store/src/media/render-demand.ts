/** Which renders callers wait for. Gateways enter demand before the job and renew it every second; entries of dead processes expire. */
import { ApiError, type RenderJob } from '@perch/schema';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export interface RenderShare {
  jobsMax: number;
  pixelsMax: number;
}

export const defaultRenderShare: RenderShare = { jobsMax: 64, pixelsMax: 64e6 };

/** Queues of their own: uploads, so that they never delay a question or a sound; speech, which waits for its engine and which 0.9.0 does not know. */
export type RenderQueue = 'scenes' | 'uploads' | 'speech';
export const renderQueues: readonly RenderQueue[] = ['scenes', 'uploads', 'speech'];

export interface Want {
  job: RenderJob;
  pixels: number;
  flight: string;
}

/** A gateway that did not renew its demand for this long has died, or its callers have timed out. */
const ttlMs = 5000;
/** A picture takes up to about a second. */
const retryAfterS = 1;

export class RenderDemand {
  readonly #redis: Connections;
  readonly #share: RenderShare;

  constructor(redis: Connections, share: RenderShare) {
    this.#redis = redis;
    this.#share = share;
  }

  /** @returns renders of the account wanted in the job's queue, with this one @throws {ApiError} busy at the account's share; nothing is entered */
  async enter(want: Want, shard: number): Promise<number> {
    const { jobsMax, pixelsMax } = this.#share;
    const args = [...namesOf(want), jobsMax, pixelsMax, ttlMs];
    const reply = await this.#redis.script('renderWant', [keyOf(want.job, shard)], args);
    if (reply[0] === 'ok') return reply[1];
    const bound = reply[0] === 'jobs' ? `${jobsMax} pictures and sounds` : `pictures of ${pixelsMax / 1e6} megapixels`;
    throw new ApiError('busy', `This account already has ${bound} waiting to be made, the maximum. Try again in ${retryAfterS} s.`, {
      retryAfterS,
    });
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
