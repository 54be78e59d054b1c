import type { DrawJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia } from '@perch/store';
import { drawScene } from './draw-scene.js';
import { DrawnNotes } from './drawn-notes.js';
import { encodePicture } from './encoding/encode.js';

/** @throws {BadPicture} naming the upload at fault @throws {ApiError} render_failed if it fits into no format that the robot supports */
export async function drawPicture(job: DrawJob<Scene>, uploads: ReadonlyMap<string, Buffer>): Promise<MadeMedia> {
  const notes = new DrawnNotes(job.scene.notes);
  const canvas = await drawScene(job.scene, uploads, notes);
  const { formats, bytesMax, palette = false, uploads: sent } = job;
  const { format, bytes } = await encodePicture(canvas, { formats, bytesMax, palette, hasUploads: sent.length > 0 });
  return { kind: 'picture', format, w: canvas.width, h: canvas.height, notes: notes.get(), ...(notes.page && { page: notes.page }), data: bytes };
}
