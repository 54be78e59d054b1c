/**
 * Obtains pictures and sounds in a format that the robot supports: from Redis if they were rendered before, else from a renderer.
 * The base64 of uploaded pictures is decoded here, as the last check of a call; only the renderer detects a damaged picture.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  ApiError,
  BadPicture,
  decodePicture,
  limits,
  picturePixels,
  type MediaRef,
  type PictureRef,
  type RenderJob,
  type SoundJob,
  type SoundRef,
  type TraceField,
} from '@perch/schema';
import type { Span } from '@perch/runtime';
import type { Scene } from '@perch/screen';
import { renderHash, type ObtainOptions, type Store } from '@perch/store';
import type { KnownRobot } from '../robots/robot-directory.js';

export interface RenderOptions {
  /** Minimum lifetime of the result, ms from now: it must last until it has been sent. */
  ttlMs: number;
  signal: AbortSignal;
  span: Span | null;
}

/** An uploaded picture, with the argument that contained it. */
export interface SentPicture {
  field: string;
  base64: string;
}

/** Uploaded pictures of a scene by SHA-256, and the number of pixels according to their headers. */
type Uploaded = Required<Pick<ObtainOptions, 'uploads' | 'pixels'>>;

const pixelsMax = limits.pictureSideMax ** 2;

/** Used for a robot that has a screen but does not describe it. */
const screenDefault = { formats: ['png', 'jpeg'] as ('jpeg' | 'png')[], max_bytes: 98_304 };
const preferredRate = 16_000;

export class MediaMaker {
  readonly #renders: Store['renders'];

  constructor(store: Pick<Store, 'renders'>) {
    this.#renders = store.renders;
  }

  /** Draws a scene without uploaded pictures. @throws {ApiError} render_failed, storage_full, busy */
  async draw(robot: KnownRobot, scene: Scene, options: RenderOptions): Promise<PictureRef> {
    return this.#draw(robot, scene, { uploads: new Map(), pixels: 0 }, options);
  }

  /**
   * Draws a scene with uploaded pictures.
   * @param sent null for an item without a picture
   * @param sceneOf returns the scene for the SHA-256 of the pictures, in the order of `sent`
   * @throws {ApiError} bad_picture naming the argument, render_failed, storage_full, busy
   */
  async drawSent(
    robot: KnownRobot,
    sent: readonly (SentPicture | null)[],
    sceneOf: (uploads: (string | null)[]) => Scene,
    options: RenderOptions,
  ): Promise<PictureRef> {
    const uploads = new Map<string, Buffer>();
    let pixels = 0;
    const shas = sent.map((picture) => {
      if (picture === null) return null;
      const bytes = decodePicture(picture.field, picture.base64);
      const sha = createHash('sha256').update(bytes).digest('hex');
      uploads.set(sha, bytes);
      // A picture in two tiles is decoded twice. A picture whose header exceeds the limit is rejected before it is decoded.
      pixels += Math.min(picturePixels(bytes), pixelsMax);
      return sha;
    });
    try {
      return await this.#draw(robot, sceneOf(shas), { uploads, pixels }, options);
    } catch (error) {
      throw namingArgument(error, sent, shas);
    }
  }

  /** @throws {ApiError} render_failed, storage_full, busy */
  async play(robot: KnownRobot, spec: SoundJob['spec'], options: RenderOptions): Promise<SoundRef> {
    const rates = robot.record.hello.audio?.rates ?? [];
    const rate = rates.includes(preferredRate) ? preferredRate : (rates[0] ?? preferredRate);
    const job: Omit<SoundJob, 'hash'> = { kind: 'sound', account: robot.record.account, spec, rate };
    return (await this.#obtain({ ...job, hash: renderHash(job) }, options)) as SoundRef;
  }

  async #draw(robot: KnownRobot, scene: Scene, sent: Uploaded, options: RenderOptions): Promise<PictureRef> {
    const { formats, max_bytes: bytesMax } = robot.record.hello.screen ?? screenDefault;
    const job = { kind: 'draw', account: robot.record.account, scene, uploads: [...sent.uploads.keys()], formats, bytesMax } as const;
    const whole: RenderJob<Scene> = { ...job, hash: renderHash(job) };
    return (await this.#obtain(whole, options, sent)) as PictureRef;
  }

  async #obtain(job: RenderJob, { ttlMs, signal, span: call }: RenderOptions, sent?: Uploaded): Promise<MediaRef> {
    if (call === null) return this.#renders.obtain(job, { ttlMs, signal, ...sent });
    const span = call.child(`obtain ${job.kind === 'draw' ? 'picture' : 'sound'}`);
    let isOwn = false;
    // A picture that was cached, or requested first by another call, was rendered in another trace.
    const onRender = (render: TraceField): void => {
      isOwn = render.startsWith(span.traceId);
      if (!isOwn) span.link(render);
    };
    try {
      const ref = await this.#renders.obtain(job, { ttlMs, signal, ...sent, trace: span.carried, madeBy: onRender });
      span.set({ 'perch.media.bytes': ref.bytes, 'perch.media.made_for_this_call': isOwn });
      return ref;
    } catch (error) {
      span.fail(error instanceof ApiError ? error.code : 'broken_off');
      throw error;
    } finally {
      span.end();
    }
  }
}

/**
 * Returns a unique id for a picture on the card layer. It is never reused, so that clearing a card by id cannot clear another one.
 * It contains the picture's hash, by which the picture can be found. 60 characters; a layer's id has at most 64.
 */
export function newCardId(hash: string): string {
  return `card-${Buffer.from(hash, 'hex').toString('base64url')}${randomBytes(9).toString('base64url')}`;
}

export function hashOfCard(id: string): string | null {
  const named = /^card-([\w-]{43})[\w-]{12}$/.exec(id)?.[1];
  return named === undefined ? null : Buffer.from(named, 'base64url').toString('hex');
}

/** Adds the name of the argument to a renderer's error about a picture: the renderer does not know the arguments. */
function namingArgument(error: unknown, sent: readonly (SentPicture | null)[], shas: readonly (string | null)[]): unknown {
  if (!(error instanceof BadPicture)) return error;
  const field = sent[shas.indexOf(error.upload)]?.field;
  return field === undefined ? error : new ApiError('bad_picture', `${field}: ${error.message}`, { field, cause: error });
}
