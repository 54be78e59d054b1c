/**
 * Pictures and sounds for a robot, in a form that this robot takes: from Redis when they were made before, else by a renderer.
 * Pictures of programs are decoded here, the last of a call's checks; that they really are pictures is the renderer's to find out.
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

export interface Making {
  /** What is made lives at least this long, ms from now: until it has been sent. */
  ttlMs: number;
  signal: AbortSignal;
  /** Of the call that needs it, if it is traced. */
  span: Span | null;
}

/** A picture as a program sent it, with the argument it came in. */
export interface SentPicture {
  field: string;
  base64: string;
}

/** The pictures of programs in a scene, by SHA-256, and how many pixels their headers state. */
type Uploaded = Required<Pick<ObtainOptions, 'uploads' | 'pixels'>>;

const pixelsMax = limits.pictureSideMax ** 2;

/** Used for a robot that offers a screen without describing it. */
const screenDefault = { formats: ['png', 'jpeg'] as ('jpeg' | 'png')[], max_bytes: 98_304 };
const rateWanted = 16_000;

export class MediaMaker {
  readonly #renders: Store['renders'];

  constructor(store: Pick<Store, 'renders'>) {
    this.#renders = store.renders;
  }

  /** A scene without pictures of programs. @throws {ApiError} render_failed, storage_full, busy */
  async draw(robot: KnownRobot, scene: Scene, making: Making): Promise<PictureRef> {
    return this.#draw(robot, scene, { uploads: new Map(), pixels: 0 }, making);
  }

  /**
   * A scene with pictures of programs in it.
   * @param sent null where an item has none
   * @param sceneOf the scene for the pictures' SHA-256, in the order of `sent`
   * @throws {ApiError} bad_picture naming the argument, render_failed, storage_full, busy
   */
  async drawSent(
    robot: KnownRobot,
    sent: readonly (SentPicture | null)[],
    sceneOf: (uploads: (string | null)[]) => Scene,
    making: Making,
  ): Promise<PictureRef> {
    const uploads = new Map<string, Buffer>();
    let pixels = 0;
    const shas = sent.map((picture) => {
      if (picture === null) return null;
      const bytes = decodePicture(picture.field, picture.base64);
      const sha = createHash('sha256').update(bytes).digest('hex');
      uploads.set(sha, bytes);
      // A picture in two tiles is decoded twice; one that claims more pixels than are allowed is refused before it is decoded.
      pixels += Math.min(picturePixels(bytes), pixelsMax);
      return sha;
    });
    try {
      return await this.#draw(robot, sceneOf(shas), { uploads, pixels }, making);
    } catch (error) {
      throw namingArgument(error, sent, shas);
    }
  }

  /** @throws {ApiError} render_failed, storage_full, busy */
  async play(robot: KnownRobot, spec: SoundJob['spec'], making: Making): Promise<SoundRef> {
    const rates = robot.record.hello.audio?.rates ?? [];
    const rate = rates.includes(rateWanted) ? rateWanted : (rates[0] ?? rateWanted);
    const job: Omit<SoundJob, 'hash'> = { kind: 'sound', account: robot.record.account, spec, rate };
    return (await this.#obtain({ ...job, hash: renderHash(job) }, making)) as SoundRef;
  }

  async #draw(robot: KnownRobot, scene: Scene, sent: Uploaded, making: Making): Promise<PictureRef> {
    const { formats, max_bytes: bytesMax } = robot.record.hello.screen ?? screenDefault;
    const job = { kind: 'draw', account: robot.record.account, scene, uploads: [...sent.uploads.keys()], formats, bytesMax } as const;
    const whole: RenderJob<Scene> = { ...job, hash: renderHash(job) };
    return (await this.#obtain(whole, making, sent)) as PictureRef;
  }

  async #obtain(job: RenderJob, { ttlMs, signal, span: call }: Making, sent?: Uploaded): Promise<MediaRef> {
    if (call === null) return this.#renders.obtain(job, { ttlMs, signal, ...sent });
    const span = call.child(`obtain ${job.kind === 'draw' ? 'picture' : 'sound'}`);
    let isOwn = false;
    // A picture that was there, or that another call asked for first, was made in another trace.
    const madeBy = (render: TraceField): void => {
      isOwn = render.startsWith(span.traceId);
      if (!isOwn) span.link(render);
    };
    try {
      const ref = await this.#renders.obtain(job, { ttlMs, signal, ...sent, trace: span.carried, madeBy });
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
 * The id of a picture on the card layer: never used twice, so that "clear it if it shows" hits no other.
 * It names the picture's hash: by what shows, the picture is found again. 60 characters, as a layer's id has at most 64.
 */
export function newCardId(hash: string): string {
  return `card-${Buffer.from(hash, 'hex').toString('base64url')}${randomBytes(9).toString('base64url')}`;
}

/** The hash of the picture that a card's id names; null for what is no such id. */
export function hashOfCard(id: string): string | null {
  const named = /^card-([\w-]{43})[\w-]{12}$/.exec(id)?.[1];
  return named === undefined ? null : Buffer.from(named, 'base64url').toString('hex');
}

/** The renderer knows bytes, not arguments. */
function namingArgument(error: unknown, sent: readonly (SentPicture | null)[], shas: readonly (string | null)[]): unknown {
  if (!(error instanceof BadPicture)) return error;
  const field = sent[shas.indexOf(error.upload)]?.field;
  return field === undefined ? error : new ApiError('bad_picture', `${field}: ${error.message}`, { field, cause: error });
}
