import { createHash } from 'node:crypto';
import type { DrawJob } from '@perch/schema';
import { cardScene, menuScene, pictureScene, type Scene } from '@perch/screen';
import { chunk, pngMagic } from './pictures.js';

export function drawJob(scene: Scene, uploads: readonly Buffer[] = [], change: Partial<DrawJob<Scene>> = {}): DrawJob<Scene> {
  return { kind: 'draw', account: 'a-test', hash: 'h', scene, uploads: uploads.map(sha256), formats: ['png', 'jpeg'], bytesMax: 98_304, ...change };
}

export const card = drawJob(cardScene({ text: 'Hello' }));

export function pictureJob(bytes: Buffer): DrawJob<Scene> {
  return drawJob(pictureScene(sha256(bytes)), [bytes]);
}

export function menuJob(pictures: readonly Buffer[]): DrawJob<Scene> {
  return drawJob(menuScene({ items: pictures.map(() => ({ image: 'x' })) }, pictures.map(sha256)).scene, pictures);
}

export function uploadsOf(...pictures: readonly Buffer[]): Map<string, Buffer> {
  return new Map(pictures.map((bytes) => [sha256(bytes), bytes]));
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export const brokenPng = Buffer.concat([pngMagic, chunk('IHDR', Buffer.alloc(13))]);
