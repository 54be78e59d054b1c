import type { SoundJob } from '@perch/schema';
import { ApiError } from '@perch/schema/plain';
import { NotesError, synthesize } from '@perch/sound';
import type { MadeMedia } from '@perch/store';

/** @throws {ApiError} bad_argument for a melody that cannot be played; the gateway refuses those before it creates a job */
export function playSound(job: SoundJob): MadeMedia {
  try {
    return { kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: synthesize(job.spec, job.rate) };
  } catch (error) {
    if (error instanceof NotesError) throw new ApiError('bad_argument', error.message, { field: 'notes', cause: error });
    throw error;
  }
}
