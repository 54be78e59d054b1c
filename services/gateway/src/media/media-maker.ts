/** Pictures of callers are read here, as the last check of a call; only the renderer detects a damaged picture. */
import { sha256 } from '@perch/runtime';
import {
  ApiError,
  BadPicture,
  limits,
  type DrawJob,
  picturePixels,
  type MediaRef,
  type PictureRef,
  type RenderJob,
  type RobotScreen,
  type SoundJob,
  type SoundRef,
  type SpeechJob,
  type TraceField,
} from '@perch/schema';
import type { Span } from '@perch/runtime';
import type { Scene } from '@perch/screen';
import { renderHash, type ObtainOptions, type Store } from '@perch/store';
import type { CachedRobot } from '../robots/robot-directory.js';
import type { PictureSources, SentPicture, SourceOptions } from './picture-sources.js';

export interface RenderOptions {
  /** Minimum lifetime of the result, ms from now: it must last until it has been sent. */
  ttlMs: number;
  signal: AbortSignal;
  span: Span | null;
}

export type SentOptions = RenderOptions & SourceOptions;

type Uploaded = Required<Pick<ObtainOptions, 'uploads' | 'pixels'>>;

const pixelsMax = limits.pictureSideMax ** 2;

/** Used for a robot that has a screen but does not describe it. */
const screenDefault: Pick<RobotScreen, 'formats' | 'max_bytes' | 'palette'> = { formats: ['png', 'jpeg'], max_bytes: 98_304 };
const preferredRate = 16_000;

export class MediaMaker {
  readonly #renders: Store['renders'];
  readonly #sources: PictureSources;

  constructor(store: Pick<Store, 'renders'>, sources: PictureSources) {
    this.#renders = store.renders;
    this.#sources = sources;
  }

  async draw(robot: CachedRobot, scene: Scene, options: RenderOptions): Promise<PictureRef> {
    return this.#draw(robot, scene, { uploads: new Map(), pixels: 0 }, options);
  }

  /** `sceneOf` gets the pictures' SHA-256 (null: none). @throws {ApiError} bad_picture, image_unreachable, render_failed, storage_full, busy */
  async drawSent(
    robot: CachedRobot,
    sent: readonly (SentPicture | null)[],
    sceneOf: (uploads: (string | null)[]) => Scene,
    options: SentOptions,
  ): Promise<PictureRef> {
    return this.#sources.with(robot.record.account, sent, options, async (pictures) => {
      try {
        return await this.drawBytes(robot, pictures, sceneOf, options);
      } catch (error) {
        throw namingArgument(error, sent, pictures);
      }
    });
  }

  /** @throws {BadPicture} naming the upload at fault @throws {ApiError} render_failed, storage_full, busy */
  async drawBytes(
    robot: CachedRobot,
    pictures: readonly (Buffer | null)[],
    sceneOf: (uploads: (string | null)[]) => Scene,
    options: RenderOptions,
  ): Promise<PictureRef> {
    const uploads = new Map<string, Buffer>();
    let pixels = 0;
    const shas = pictures.map((bytes) => {
      if (bytes === null) return null;
      const sha = sha256(bytes);
      uploads.set(sha, bytes);
      // A picture in two tiles is decoded twice. A picture whose header exceeds the limit is rejected before it is decoded.
      pixels += Math.min(picturePixels(bytes), pixelsMax);
      return sha;
    });
    return this.#draw(robot, sceneOf(shas), { uploads, pixels }, options);
  }

  /** Checks pictures as far as possible without fetching them. @throws {ApiError} bad_picture, image_unreachable */
  async check(account: string, sent: readonly SentPicture[]): Promise<void> {
    await this.#sources.check(account, sent);
  }

  async play(robot: CachedRobot, spec: SoundJob['spec'], options: RenderOptions): Promise<SoundRef> {
    const job: Omit<SoundJob, 'hash'> = { kind: 'sound', account: robot.record.account, spec, rate: rateOf(robot) };
    return (await this.#obtain({ ...job, hash: renderHash(job) }, options)) as SoundRef;
  }

  /** `whole` waits for all of it. @throws {ApiError} speech_failed, not_offered (no engine), bad_argument naming voice or lang */
  async speak(robot: CachedRobot, spec: Pick<SpeechJob, 'text' | 'voice' | 'lang'>, whole: boolean, options: RenderOptions): Promise<SoundRef> {
    const job: Omit<SpeechJob, 'hash'> = { kind: 'speech', account: robot.record.account, ...spec, rate: rateOf(robot) };
    const takesGrowing = !whole && robot.record.hello.openSounds === true;
    return (await this.#obtain({ ...job, hash: renderHash(job) }, options, { takesGrowing })) as SoundRef;
  }

  async #draw(robot: CachedRobot, scene: Scene, sent: Uploaded, options: RenderOptions): Promise<PictureRef> {
    const job = { kind: 'draw', account: robot.record.account, scene, uploads: [...sent.uploads.keys()], ...screenOf(robot) } as const;
    const whole: RenderJob<Scene> = { ...job, hash: renderHash(job) };
    return (await this.#obtain(whole, options, sent)) as PictureRef;
  }

  async #obtain(
    job: RenderJob,
    { ttlMs, signal, span: call }: RenderOptions,
    sent?: Uploaded | Pick<ObtainOptions, 'takesGrowing'>,
  ): Promise<MediaRef> {
    if (call === null) return this.#renders.obtain(job, { ttlMs, signal, ...sent });
    const span = call.child(`obtain ${job.kind === 'draw' ? 'picture' : job.kind}`);
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

export function screenOf({ record }: CachedRobot): Pick<DrawJob, 'formats' | 'bytesMax' | 'palette'> {
  const { formats, max_bytes: bytesMax, palette } = record.hello.screen ?? screenDefault;
  return { formats, bytesMax, ...(palette && { palette }) };
}

function rateOf({ record }: CachedRobot): number {
  const rates = record.hello.audio?.rates ?? [];
  return rates.includes(preferredRate) ? preferredRate : (rates[0] ?? preferredRate);
}

/** Adds the name of the argument to a renderer's error about a picture: the renderer does not know the arguments. */
function namingArgument(error: unknown, sent: readonly (SentPicture | null)[], pictures: readonly (Buffer | null)[]): unknown {
  if (!(error instanceof BadPicture)) return error;
  const field = sent[pictures.findIndex((bytes) => bytes !== null && sha256(bytes) === error.upload)]?.field;
  return field === undefined ? error : new ApiError('bad_picture', `${field}: ${error.message}`, { field, cause: error });
}
