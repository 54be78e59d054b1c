/**
 * What each of the renderer's child processes runs: one job after the other, drawn or synthesized. It has no address, no secret and no Redis:
 * whatever a hostile picture does to the decoder, it does to this process alone, and its parent starts another.
 */
import type { ErrorCode, RenderJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia } from '@perch/store';
import { ApiError, BadPicture } from '@perch/schema/plain';
import { drawPicture } from './draw-picture.js';
import { playSound } from './play-sound.js';

/** Parent -> child. */
export interface Order {
  job: RenderJob<Scene>;
  uploads: ReadonlyMap<string, Buffer>;
}

/** Child -> parent: `ready` once, then one for each order. */
export type Answer =
  | { t: 'ready' }
  | { t: 'made'; media: MadeMedia }
  | { t: 'refused'; code: ErrorCode; error: string; upload: string | null }
  | { t: 'failed'; error: Error };

process.on('message', (order: Order) => {
  void answer(order).then(send);
});
// The parent ends its children; a Ctrl-C in the terminal reaches them all at once, with jobs under way.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// Not `exit`, which waits for a picture that is being decoded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
send({ t: 'ready' });

async function answer({ job, uploads }: Order): Promise<Answer> {
  try {
    return { t: 'made', media: job.kind === 'sound' ? playSound(job) : await drawPicture(job, uploads) };
  } catch (error) {
    if (error instanceof ApiError)
      return { t: 'refused', code: error.code, error: error.message, upload: error instanceof BadPicture ? error.upload : null };
    return { t: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function send(said: Answer): void {
  // A parent that is gone is noticed by 'disconnect'.
  process.send?.(said, undefined, undefined, () => undefined);
}
