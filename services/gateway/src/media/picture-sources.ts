/** A call of a few bytes can make a gateway hold megabytes: pictures beside the body reserve limited memory until they have been drawn. */
import { type Span, connectionFailure, publicLookup, refuseLiteral, type ResolveAll, withDeadline } from '@perch/runtime';
import { ApiError, decodePicture, limits, pictureSource, interfaceVersion, outsideUrl, requirePicture } from '@perch/schema';
import type { Store } from '@perch/store';
import type { ServiceTime } from '../calls/service-time.js';
import { type BodyBudget, type Reservation, BodyBytes } from '../http/json-body.js';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

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
    const { granted } = reservation;
    time.pause();
    try {
      await withDeadline(fetchS * 1000, signal, (ended) => untilAborted(granted, ended));
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

/** off: no address is fetched; public: https and public addresses; any: also http, any port and private addresses. */
export const pictureAccess = ['off', 'public', 'any'] as const;
export type PictureAccess = (typeof pictureAccess)[number];

interface FetchOptions {
  field: string;
  /** Called with the size of each part received. @throws if it is one too many */
  onBytes: (count: number) => void;
  signal: AbortSignal;
}

const { addressCharsMax, redirectsMax } = limits.picture;
/** Every known format, and any other, has shown itself by then. */
const headBytes = 1024;
/** Servers send few; each costs the event loop as much as a whole response. */
const informationMax = 8;
/** Bytes that a connection may read beside those of the body and as many again: headers, TLS, and what has not been taken from its buffer. */
const overheadBytesMax = 256 * 1024;

/**
 * Guarantee: unless private addresses are allowed, connections go to public addresses only, redirects too; checked when the socket connects, since a
 * name may resolve to another one later. A fetch ends after `limits.picture.fetchS`, at the first byte beyond its maximum, at the first kilobyte that
 * begins no picture, and when most of what the server sends is not the picture.
 */
export class PictureFetch {
  readonly #access: PictureAccess;
  readonly #withinMs: number;
  readonly #resolve: ResolveAll | undefined;

  /** @param options changed by tests only */
  constructor(access: PictureAccess, { withinMs = fetchS * 1000, resolve }: { withinMs?: number; resolve?: ResolveAll } = {}) {
    this.#access = access;
    this.#withinMs = withinMs;
    this.#resolve = resolve;
  }

  /** Checks an address without connecting. @throws {ApiError} image_unreachable */
  check(field: string, address: string): URL {
    if (this.#access === 'off') throw unreachable(field, 'This service fetches no pictures; send base64, or upload the picture.');
    if (address.length > addressCharsMax) throw unreachable(field, `The address is longer than ${addressCharsMax} characters.`);
    const parsed = outsideUrl(address, this.#access === 'any');
    if ('problem' in parsed) throw unreachable(field, `The address ${parsed.problem}.`);
    return parsed.url;
  }

  /** @throws {ApiError} image_unreachable with the cause; bad_picture, naming a format that is not drawn; the signal's reason if it aborts */
  async fetch(address: string, { field, onBytes, signal }: FetchOptions): Promise<Buffer> {
    const late = AbortSignal.timeout(this.#withinMs);
    let url = this.check(field, address);
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await this.#get(url, field, AbortSignal.any([signal, late]));
        const status = response.statusCode ?? 0;
        if (status === 200) return await bodyOf(response, field, onBytes);
        response.destroy();
        if (![301, 302, 303, 307, 308].includes(status)) throw unreachable(field, `The server answered ${status}.`);
        if (redirects === redirectsMax) throw unreachable(field, `It is behind more than ${redirectsMax} redirects.`);
        url = this.check(field, targetOf(response, url));
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw unreachable(field, late.aborted ? `The server did not send it within ${this.#withinMs / 1000} s.` : connectionFailure(error), error);
    }
  }

  /** @throws {ApiError} image_unreachable @throws what `connectionFailure` describes */
  #get(url: URL, field: string, signal: AbortSignal): Promise<IncomingMessage> {
    const allowPrivate = this.#access === 'any';
    if (!allowPrivate) refuseLiteral(url.hostname);
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      // No keep-alive: a connection kept open would go to an address checked long ago.
      const sent = request(url, { headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: publicLookup(this.#resolve) }) });
      sent.on('response', resolve).on('error', reject);
      let informed = 0;
      sent.on('information', () => {
        if (++informed > informationMax) sent.destroy(unreachable(field, 'The server answered with too many informational responses.'));
      });
      // A response that switches protocols (101) closes the connection without a further event.
      sent.on('close', () => reject(new Error('The connection was closed.')));
      sent.end();
    });
  }
}

const headers = { accept: 'image/png, image/jpeg', 'accept-encoding': 'identity', 'user-agent': `Perch/${interfaceVersion.replace(/^v/, '')}` };

async function bodyOf(response: IncomingMessage, field: string, onBytes: (count: number) => void): Promise<Buffer> {
  const { 'content-length': declared, 'content-encoding': encoding = 'identity' } = response.headers;
  // Not a list of the parts: a server that sends single bytes would make each cost a hundred times as much.
  const body = new BodyBytes(bytesMax);
  let isChecked = false;
  try {
    if (encoding !== 'identity') throw unreachable(field, 'The server compressed it, although asked not to.');
    if (Number(declared) > bytesMax) throw tooLarge(field);
    for await (const part of response as AsyncIterable<Buffer>) {
      if (!body.append(part)) throw tooLarge(field);
      onBytes(part.length);
      if (response.socket.bytesRead > overheadBytesMax + 2 * body.received.length)
        throw unreachable(field, 'The server sent it in parts that are too small.');
      if (isChecked || body.received.length < headBytes) continue;
      requirePicture(field, body.received);
      isChecked = true;
    }
    if (!isChecked) requirePicture(field, body.received);
    return Buffer.from(body.received);
  } finally {
    response.destroy();
    body.free();
  }
}

function targetOf({ headers: { location = '' } }: IncomingMessage, base: URL): string {
  return URL.canParse(location, base.href) ? new URL(location, base.href).href : location;
}

function tooLarge(field: string): ApiError {
  return unreachable(field, `It has more than ${bytesMax.toLocaleString('en')} bytes.`);
}

function unreachable(field: string, cause: string, error?: unknown): ApiError {
  return new ApiError('image_unreachable', `${field}: the picture cannot be fetched. ${cause}`, { field, cause: error });
}
