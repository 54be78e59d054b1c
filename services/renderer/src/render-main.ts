/** Child process of the renderer: does one job after the other. It has no secret and no access to Redis: a hostile picture harms only it. */
import type { DrawJob, ErrorCode, SoundJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia } from '@perch/store';
import { ApiError, BadPicture } from '@perch/schema/plain';
import { drawPicture, playSound } from './draw-picture.js';

export type ProcessJob = DrawJob<Scene> | SoundJob;

export interface RenderRequest {
  job: ProcessJob;
  uploads: ReadonlyMap<string, Buffer>;
}

export type RenderReply = { t: 'ready' } | (Result & Resident);

type Result =
  | { t: 'made'; media: MadeMedia }
  | { t: 'refused'; code: ErrorCode; error: string; upload: string | null }
  | { t: 'failed'; error: Error };

/** Memory of the process after a job: fonts stay loaded. */
interface Resident {
  rssMb: number;
}

process.on('message', (request: RenderRequest) => {
  void render(request).then((reply) => send({ ...reply, rssMb: process.memoryUsage.rss() / 1e6 }));
});
// Ctrl-C in a terminal reaches all processes at once, while jobs are in flight; the parent ends its children.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// Not `exit`, which waits for a picture that is being decoded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
send({ t: 'ready' });

async function render({ job, uploads }: RenderRequest): Promise<Result> {
  try {
    return { t: 'made', media: job.kind === 'sound' ? playSound(job) : await drawPicture(job, uploads) };
  } catch (error) {
    if (error instanceof ApiError)
      return { t: 'refused', code: error.code, error: error.message, upload: error instanceof BadPicture ? error.upload : null };
    return { t: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function send(reply: RenderReply): void {
  // 'disconnect' handles a parent that is gone.
  process.send?.(reply, undefined, undefined, () => undefined);
}
