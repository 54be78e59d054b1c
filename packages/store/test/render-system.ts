/** Two gateways and a renderer, each with its own connections to the Redis of the test run. */
import type { DrawJob, SoundJob } from '@perch/schema';
import { newId } from '../src/redis/ids.js';
import { RenderJobs, type RenderWorker } from '../src/media/render-jobs.js';
import { GrowingSounds } from '../src/media/growing-sounds.js';
import { Media } from '../src/media/media.js';
import type { RenderShare } from '../src/media/render-demand.js';
import type { RenderHandlers, RenderWay } from '../src/media/render-work.js';
import { renderHash, Renders } from '../src/media/renders.js';
import { Uploads } from '../src/media/uploads.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';
import { shardsOf } from './fixtures.js';

export const ttlMs = 60_000;

export interface RenderInstance {
  redis: Connections;
  media: Media;
  uploads: Uploads;
  growing: GrowingSounds;
  jobs: RenderJobs;
  renders: Renders;
  errors: Error[];
  close(): Promise<void>;
}

export interface RenderInstanceOptions {
  shards?: number;
  share?: RenderShare;
  /** false: uses only the queue. */
  isDirect?: boolean;
  url?: string;
}

export async function openRenderInstance({ shards = 1, share, isDirect = true, url }: RenderInstanceOptions = {}): Promise<RenderInstance> {
  const errors: Error[] = [];
  const redis = await testConnections(url);
  const [media, uploads, growing] = [new Media(redis), new Uploads(redis), new GrowingSounds(redis)];
  const onError = (error: Error): number => errors.push(error);
  const jobs = new RenderJobs({ redis, media, uploads, growing, shards: shardsOf(redis, shards), onError, isDirect, ...(share && { share }) });
  const close = async (): Promise<void> => {
    await jobs.close();
    await redis.close();
  };
  return { redis, media, uploads, growing, jobs, renders: new Renders(redis, media, uploads, growing, jobs), errors, close };
}

export class RenderSystem {
  readonly gateway: RenderInstance;
  readonly other: RenderInstance;
  readonly renderer: RenderInstance;
  /** The handlers of jobs in the renderer; a test replaces what it needs. */
  handle: RenderHandlers = this.#usualHandlers();
  drawn: string[] = [];
  ways: RenderWay[] = [];
  #worker: RenderWorker | null = null;

  private constructor(gateway: RenderInstance, other: RenderInstance, renderer: RenderInstance) {
    this.gateway = gateway;
    this.other = other;
    this.renderer = renderer;
  }

  static async open(options: RenderInstanceOptions = {}): Promise<RenderSystem> {
    const system = new RenderSystem(await openRenderInstance(options), await openRenderInstance(options), await openRenderInstance(options));
    await system.startWorker();
    return system;
  }

  async startWorker(): Promise<void> {
    this.#worker = this.renderer.jobs.work(
      {
        draw: (job, uploads, signal) => (this.drawn.push(job.hash), this.handle.draw(job, uploads, signal)),
        sound: (job, signal) => (this.drawn.push(job.hash), this.handle.sound(job, signal)),
        speech: (job, take, signal) => (this.drawn.push(job.hash), this.handle.speech(job, take, signal)),
        taken: (job, waitedMs, way) => (this.ways.push(way), this.handle.taken?.(job, waitedMs, way)),
      },
      { scenes: 2, uploads: 2, speech: 2 },
    );
    await this.#worker.ready();
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.close();
    this.#worker = null;
  }

  reset(): void {
    this.drawn = [];
    this.ways = [];
    this.handle = this.#usualHandlers();
    this.renderer.errors.length = 0;
  }

  async close(): Promise<void> {
    for (const instance of [this.gateway, this.other, this.renderer]) await instance.close();
  }

  #usualHandlers(): RenderHandlers {
    return {
      draw: async (job, uploads) => ({
        kind: 'picture',
        format: 'png',
        w: 320,
        h: 240,
        data: Buffer.concat([Buffer.from(JSON.stringify(job.scene)), ...uploads.values()]),
      }),
      sound: async (job) => ({ kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: Buffer.alloc(job.rate) }),
      speech: async (job) => ({ kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: Buffer.alloc(job.rate) }),
    };
  }
}

export function drawJob(more: Partial<DrawJob> = {}): DrawJob {
  const job = { kind: 'draw', account: newId('a'), scene: { text: newId('a') }, uploads: [], formats: ['png'], bytesMax: 98304, ...more } as const;
  return { ...job, uploads: [...job.uploads], formats: [...job.formats], hash: renderHash(job as Omit<DrawJob, 'hash'>) };
}

export function soundJob(): SoundJob {
  const job = { kind: 'sound', account: newId('a'), spec: { notes: `C4:${Math.ceil(Math.random() * 30000)}`, bell: false }, rate: 16000 } as const;
  return { ...job, hash: renderHash(job) };
}
