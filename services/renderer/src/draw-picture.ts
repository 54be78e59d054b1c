import type { DrawJob, SoundJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia } from '@perch/store';
import { drawScene } from './draw-scene.js';
import { DrawnNotes } from './drawn-notes.js';
import { encodePicture } from './encoding/encode.js';
import { ApiError } from '@perch/schema/plain';
import { NotesError, synthesize } from '@perch/sound';

/** @throws {BadPicture} naming the upload at fault @throws {ApiError} render_failed if it fits into no format that the robot supports */
export async function drawPicture(job: DrawJob<Scene>, uploads: ReadonlyMap<string, Buffer>): Promise<MadeMedia> {
  const notes = new DrawnNotes(job.scene.notes);
  const canvas = await drawScene(job.scene, uploads, notes);
  const { formats, bytesMax, palette = false, uploads: sent } = job;
  const { format, bytes } = await encodePicture(canvas, { formats, bytesMax, palette, hasUploads: sent.length > 0 });
  const { width: w, height: h } = canvas;
  const says = textsOf(job.scene);
  return { kind: 'picture', format, w, h, notes: notes.get(), ...(notes.page && { page: notes.page }), ...(says !== '' && { says }), data: bytes };
}

/** The rest of a longer text is not of use as the name of a picture. */
const saysMax = 400;

/** Returns the texts of a scene from its top on as one, without the time left, which changes each second. */
function textsOf({ boxes }: Scene): string {
  const fromTheTop = boxes.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const texts = fromTheTop.flatMap((box) => {
    if (box.kind === 'qr') return ['QR code'];
    const isText = box.kind === 'markdown' || (box.kind === 'text' && (box.countdown === undefined || box.text === box.countdown.done));
    return isText ? [box.text.replaceAll(/\s+/g, ' ').trim()] : [];
  });
  const said = texts.flatMap((text) => (text === '' ? [] : [/[.!?…:]$/.test(text) ? text : `${text}.`])).join(' ');
  return said.length > saysMax ? `${[...said].slice(0, saysMax).join('')}…` : said;
}

/** @throws {ApiError} bad_argument for a melody that cannot be played; the gateway refuses those before it creates a job */
export function playSound(job: SoundJob): MadeMedia {
  try {
    return { kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: synthesize(job.spec, job.rate) };
  } catch (error) {
    if (error instanceof NotesError) throw new ApiError('bad_argument', error.message, { field: 'notes', cause: error });
    throw error;
  }
}
