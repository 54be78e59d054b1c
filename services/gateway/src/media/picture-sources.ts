/** A call of a few bytes can make a gateway hold megabytes: pictures beside the body reserve limited memory until they have been drawn. */
import type { Span } from '@perch/runtime';
import { ApiError, decodePicture, limits, pictureSource } from '@perch/schema';
import type { Store } from '@perch/store';
import type { ServiceTime } from '../calls/service-time.js';
import type { BodyBudget, Reservation } from '../http/body-budget.js';
import type { PictureFetch } from './picture-fetch.js';

export interface SentPicture {
  field: string;
  text: string;
}

export interface SourceOptions {
  signal: AbortSignal;
  span: Span | null;
  time: Pick<ServiceTime, 'pause' | 'resume'>;
}

type Bytes = (Buffer | null)[];

const { bytesMax, callBytesMax, fetchS } = limits.picture;

export class PictureSources {
  readonly #fetch: PictureFetch;
  readonly #uploaded: Store['uploadedPictures'];
  readonly #budget: BodyBudget;

  constructor(fetch: PictureFetch, uploaded: Store['uploadedPictures'], budget: BodyBudget) {
    this.#fetch = fetch;
    this.#uploaded = uploaded;
    this.#budget = budget;
  }

  /** Checks pictures as far as possible without fetching them. @throws {ApiError} bad_picture, image_unreachable */
  async check(account: string, sent: readonly SentPicture[]): Promise<void> {
    for (const { field, text } of sent) {
      const source = pictureSource(text);
      if (source === 'base64') decodePicture(field, text);
      else if (source === 'address') this.#fetch.check(field, text);
      else if (!(await this.#uploaded.has(account, text))) throw unknownPicture(field, text);
    }
  }

  /** Holds the memory for the pictures until `use` ends. @throws {ApiError} bad_picture, image_unreachable, busy */
  async with<T>(account: string, sent: readonly (SentPicture | null)[], options: SourceOptions, use: (bytes: Bytes) => Promise<T>): Promise<T> {
    const elsewhere = sent.filter((picture) => picture !== null && pictureSource(picture.text) !== 'base64').length;
    if (elsewhere === 0) return use(sent.map((picture) => picture && decodePicture(picture.field, picture.text)));
    const reservation = await this.#reserve(account, Math.min(elsewhere * bytesMax, callBytesMax), options);
    try {
      return await use(await this.#obtain(account, sent, options));
    } finally {
      reservation.release();
    }
  }

  async #obtain(account: string, sent: readonly (SentPicture | null)[], { signal, span, time }: SourceOptions): Promise<Bytes> {
    const failed = new AbortController();
    let bytesLeft: number = callBytesMax;
    const options = {
      signal: AbortSignal.any([signal, failed.signal]),
      onBytes: (count: number): void => {
        bytesLeft -= count;
        if (bytesLeft < 0)
          throw new ApiError('bad_argument', `The pictures of one call may have ${callBytesMax.toLocaleString('en')} bytes together.`);
      },
    };
    const obtaining = span?.child('fetch pictures', { kind: 'client' }) ?? null;
    time.pause();
    try {
      return await Promise.all(
        sent.map(async (picture) => {
          if (picture === null) return null;
          const { field, text } = picture;
          const source = pictureSource(text);
          if (source === 'base64') return decodePicture(field, text);
          if (source === 'address') return this.#fetch.fetch(text, { ...options, field });
          const bytes = await this.#uploaded.read(account, text);
          if (bytes === null) throw unknownPicture(field, text);
          options.onBytes(bytes.length);
          return bytes;
        }),
      );
    } catch (error) {
      failed.abort(error);
      obtaining?.fail(error instanceof ApiError ? error.code : 'broken_off');
      throw error;
    } finally {
      time.resume();
      obtaining?.end();
    }
  }

  async #reserve(account: string, bytes: number, { signal, time }: SourceOptions): Promise<Reservation> {
    const reservation = this.#budget.reserve(account, bytes);
    if (reservation === null) throw tooMany();
    if (reservation.granted === null) return reservation;
    const late = AbortSignal.timeout(fetchS * 1000);
    time.pause();
    try {
      await untilAborted(reservation.granted, AbortSignal.any([signal, late]));
      return reservation;
    } catch {
      reservation.release();
      signal.throwIfAborted();
      throw tooMany();
    } finally {
      time.resume();
    }
  }
}

function untilAborted(granted: Promise<void>, signal: AbortSignal): Promise<void> {
  return Promise.race([
    granted,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      if (signal.aborted) reject(signal.reason as Error);
    }),
  ]);
}

function unknownPicture(field: string, id: string): ApiError {
  return new ApiError('bad_picture', `${field}: This account has no picture ${id}; it may have expired. Upload it again.`, { field });
}

function tooMany(): ApiError {
  return new ApiError('busy', 'This account already has the maximum of pictures being fetched. Try again in a second.', { retryAfterS: 1 });
}
