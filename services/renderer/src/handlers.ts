import type { Tracing } from '@perch/runtime';
import { ApiError, type DrawJob, type RenderJob, type SoundJob } from '@perch/schema';
import { isProbeAccount, type MadeMedia, type RenderHandlers } from '@perch/store';
import type { RenderMetrics } from './metrics.js';
import type { ProcessJob } from './render-main.js';
import type { RenderPool } from './render-pool.js';
import type { SpeechEngine } from './speech/engine.js';
import { speak } from './speech/speak.js';

export interface RenderHandlersOptions {
  pools: Record<'scenes' | 'uploads', Pick<RenderPool, 'render'>>;
  speech: {
    engine: SpeechEngine | ApiError;
    /** Ends speech that takes too long for a process that stops. */
    stopping: AbortSignal;
    onError(error: unknown): void;
  };
  metrics: RenderMetrics;
  tracing?: Tracing | null;
}

const uncounted: RenderMetrics = { taken() {}, done() {} };

export function renderHandlers({ pools, speech, metrics: counting, tracing = null }: RenderHandlersOptions): RenderHandlers {
  const metricsOf = ({ account }: RenderJob): RenderMetrics => (isProbeAccount(account) ? uncounted : counting);
  const counted = async (job: RenderJob, uploads: number, signal: AbortSignal, make: () => Promise<MadeMedia>): Promise<MadeMedia> => {
    const began = performance.now();
    const metrics = metricsOf(job);
    const secondsSince = (): number => (performance.now() - began) / 1000;
    const span = job.trace === undefined ? null : (tracing?.resume(`render ${job.kind}`, job.trace, { kind: 'consumer' }) ?? null);
    try {
      const made = await make();
      metrics.done(job.kind, 'made', secondsSince(), made.data.length);
      if (span === null) return made;
      span.set({ 'perch.media.bytes': made.data.length, 'perch.uploads': uploads });
      return { ...made, trace: span.carried };
    } catch (error) {
      span?.fail(signal.aborted ? 'dropped' : error instanceof ApiError ? error.code : 'render_failed');
      if (signal.aborted) throw error;
      metrics.done(job.kind, error instanceof ApiError && error.code === 'bad_picture' ? 'bad_picture' : 'failed', secondsSince(), 0);
      throw error;
    } finally {
      span?.end();
    }
  };
  const render = (job: DrawJob | SoundJob, uploads: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<MadeMedia> => {
    const pool = uploads.size > 0 ? pools.uploads : pools.scenes;
    // All scenes are made by @perch/screen; the queue does not know their type.
    return counted(job, uploads.size, signal, () => pool.render(job as ProcessJob, uploads, signal));
  };
  return {
    draw: render,
    sound: (job, signal) => render(job, new Map(), signal),
    async speech(job, take, signal) {
      const { engine, stopping } = speech;
      if (engine instanceof ApiError) throw engine;
      try {
        return await counted(job, 0, signal, () => speak(engine, job, take, AbortSignal.any([signal, stopping])));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'speech_failed') speech.onError(error);
        throw error;
      }
    },
    taken: (job, waitedMs, way) => metricsOf(job).taken(job.kind, waitedMs / 1000, way),
    dropped: (job) => metricsOf(job).done(job.kind, 'dropped', null, 0),
  };
}
