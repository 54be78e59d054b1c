/// <reference lib="es2024.arraybuffer" />
/** Bodies are normally read after admission, so that those of unauthenticated clients are not parsed. Rejects in the order 413 and 415, then 400. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError, limits } from '@perch/schema';
import { ClientGone } from '../calls/failures.js';
import { isUnparsable, unparsable } from './errors.js';
import type { Exchange } from './exchange.js';
import { MessageChannel } from 'node:worker_threads';

export interface BodyBound {
  bytesMax: number;
  help: string;
}

/** How long the server waits for the next bytes of a body, ms. The whole request has 30 s: `requestTimeout` in app.ts. */
export const bodyStallMs = 10_000;
const actionBound: BodyBound = { bytesMax: limits.bodyBytesMax, help: 'Send smaller pictures.' };
const unadmitted = 'unadmitted';

export class JsonBodies {
  readonly #budget: BodyBudget;
  readonly #stallMs: number;

  /** @param stallMs changed by tests only */
  constructor(budget: BodyBudget, stallMs = bodyStallMs) {
    this.#budget = budget;
    this.#stallMs = stallMs;
  }

  /** `owner`: account, or the client's network. @throws {ApiError} body_too_large, not_json, bad_argument, malformed_json; ClientGone */
  async read(exchange: Exchange, owner: string, bound: BodyBound = actionBound): Promise<unknown> {
    const declared = requireBody(exchange.request, bound, requireJson);
    return this.#read(exchange, owner, declared, bound, parse);
  }

  /** Reads a body of any content type. @throws {ApiError} body_too_large, not_json (compressed), bad_argument; ClientGone */
  async readBytes(exchange: Exchange, owner: string, bound: BodyBound = actionBound): Promise<Buffer> {
    const declared = requireBody(exchange.request, bound, (_, encoding) => requireUncompressed(encoding));
    return this.#read(exchange, owner, declared, bound, (body) => {
      if (body.length === 0) throw emptyBody();
      return Buffer.from(body);
    });
  }

  #read<T>(exchange: Exchange, owner: string, declared: number | null, bound: BodyBound, use: (body: Buffer) => T): T | Promise<T> {
    const { request } = exchange;
    if (!request.complete) return this.#readArriving(exchange, owner, declared, bound, use);
    // A small body arrived with its headers, while the key was looked up.
    const body = (request.read() as Buffer | null) ?? Buffer.alloc(0);
    if (body.length > bound.bytesMax) throw tooLarge(bound);
    return use(body);
  }

  /** Reads from a budget that all such bodies share. @returns null if it is used up: read the body after the key was admitted */
  readUnadmitted(exchange: Exchange, bytes: number): Promise<unknown> | null {
    if (!exchange.request.complete && !this.#budget.hasRoom(unadmitted, bytes)) return null;
    return this.read(exchange, unadmitted);
  }

  async #readArriving<T>(exchange: Exchange, owner: string, declared: number | null, bound: BodyBound, use: (body: Buffer) => T): Promise<T> {
    const { request, response } = exchange;
    const reservation = this.#budget.reserve(owner, declared ?? bound.bytesMax);
    if (reservation === null) throw new ClientGone();
    const stopWatching = onInputEnd(request, () => reservation.release());
    try {
      if (reservation.granted !== null) await untilGranted(exchange, reservation.granted);
      // A client that sent `Expect: 100-continue` (curl does for bodies of 1 MB and more) holds its body back until the checks above have passed.
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
      const bytes = new BodyBytes(declared ?? bound.bytesMax);
      try {
        exchange.time.pause();
        await this.#receive(exchange, bytes, bound).finally(() => exchange.time.resume());
        return use(bytes.received);
      } finally {
        bytes.free();
      }
    } finally {
      stopWatching();
      reservation.release();
    }
  }

  #receive(exchange: Exchange, bytes: BodyBytes, bound: BodyBound): Promise<void> {
    const { request, response } = exchange;
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        request.off('data', onData).off('end', onEnd).off('error', onClosed).off('close', onClosed);
        response.off('close', onClosed);
        settle();
      };
      const onData = (chunk: Buffer): void => {
        timer.refresh();
        if (bytes.append(chunk)) return;
        // Discard the rest, so that the client gets to read the response. The server's requestTimeout limits how long.
        done(() => reject(tooLarge(bound)));
        request.resume();
      };
      const onEnd = (): void => done(resolve);
      // Also called if the request was rejected meanwhile, for example because its key is not valid.
      const onClosed = (): void => {
        // Without a listener, a late 'error' event of the stream would end the process.
        request.on('error', () => {});
        done(() => reject(new ClientGone()));
        request.resume();
      };
      const timer = setTimeout(() => {
        exchange.setHeader('connection', 'close');
        done(() => reject(new ApiError('bad_argument', 'The request did not arrive in time. Send it again, whole.')));
        request.resume();
      }, this.#stallMs);
      request.on('data', onData).on('end', onEnd).on('error', onClosed).on('close', onClosed);
      response.on('close', onClosed);
    });
  }
}

/** @returns the length of the body; null if unknown @throws {ApiError} body_too_large, not_json, bad_argument (empty) */
function requireBody({ headers }: IncomingMessage, bound: BodyBound, requireType: typeof requireJson): number | null {
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > bound.bytesMax) throw tooLarge(bound);
  const chunked = headers['transfer-encoding'] !== undefined;
  const hasBody = declared > 0 || chunked;
  if (headers['content-type'] !== undefined || hasBody) requireType(headers['content-type'] ?? '', headers['content-encoding']);
  if (!hasBody) throw emptyBody();
  return chunked ? null : declared;
}

function parse(body: Buffer): unknown {
  if (body.length === 0) throw emptyBody();
  if (!isUtf8(body)) throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    throw new ApiError('malformed_json', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function requireJson(contentType: string, contentEncoding: string | undefined): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') {
    throw new ApiError('not_json', 'Send the arguments as JSON, with Content-Type: application/json.');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && value.trim().replaceAll('"', '') !== 'utf-8') {
      throw new ApiError('not_json', 'JSON is UTF-8: omit the charset or send charset=utf-8.');
    }
  }
  requireUncompressed(contentEncoding);
}

function requireUncompressed(contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('not_json', 'Send the body without Content-Encoding: compressed bodies are not supported.');
  }
}

/** @throws {ClientGone} when the connection closes first */
async function untilGranted({ request, response }: Exchange, granted: Promise<void>): Promise<void> {
  let onClose = (): void => {};
  const closed = new Promise<never>((_, reject) => (onClose = () => reject(new ClientGone())));
  // A response queued behind another one on its connection emits no 'close' when the connection closes; its request does.
  request.once('close', onClose);
  response.once('close', onClose);
  try {
    await Promise.race([granted, closed]);
  } finally {
    request.off('close', onClose);
    response.off('close', onClose);
  }
}

function tooLarge({ bytesMax, help }: BodyBound): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${bytesMax} bytes. ${help}`);
}

function emptyBody(): ApiError {
  return new ApiError('bad_argument', 'The body is empty. Send the arguments as a JSON object, or {} if there are none.');
}

/**
 * Calls back when the rest of a body cannot arrive (closed side, or not HTTP). While an earlier request of the connection is processed, neither
 * request nor response emits 'close' then, and the body would keep its share of the budget.
 */
function onInputEnd(request: IncomingMessage, ended: () => void): () => void {
  const { socket } = request;
  const check = (): void => {
    if (!request.complete) ended();
  };
  socket.on('end', check).on(unparsable, check);
  if (socket.readableEnded || isUnparsable(socket)) queueMicrotask(check);
  return () => void socket.off('end', check).off(unparsable, check);
}

/**
 * Limits the memory of request bodies that are still arriving, per instance and account. A body reserves its whole size before its first byte is
 * read, so that two half-read bodies never wait for each other. One beyond the budget waits, unread; it is not rejected. Waiting bodies are admitted
 * in order of arrival within an account, and round-robin across accounts.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #owners = new Map<string, Owner>();
  /** Owners whose first waiting body fits their own share. They wait for memory of the instance, in this order. */
  readonly #turns = new Set<Owner>();
  #bytes = 0;
  #waiting = 0;

  /** @param bytesMax budget of the instance; at least one owner's share */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#waiting;
  }

  hasRoom(owner: string, bytes: number): boolean {
    const { bytes: held = 0, waiting = [] } = this.#owners.get(owner) ?? {};
    return waiting.length === 0 && held + bytes <= ownerBytesMax && this.#turns.size === 0 && this.#bytes + bytes <= this.#bytesMax;
  }

  /**
   * Await `granted` before reading, and call `release` in any case. Each owner (account or another name) has a share of 8 MB. Null: so many bodies of
   * the owner wait that Node's buffers for them are a burden. @param bytes at most 8 MB
   */
  reserve(owner: string, bytes: number): Reservation | null {
    const immediately = this.hasRoom(owner, bytes);
    const share = this.#owners.get(owner) ?? { name: owner, bytes: 0, waiting: [] };
    this.#owners.set(owner, share);
    if (share.waiting.length >= ownerWaitingMax) return null;
    const body: Body = { bytes, state: 'waiting', grant: () => {} };
    if (immediately) this.#grant(share, body);
    else {
      share.waiting.push(body);
      this.#waiting += 1;
      if (share.waiting.length === 1) this.#queue(share);
    }
    const granted = body.state === 'waiting' ? new Promise<void>((resolve) => (body.grant = resolve)) : null;
    return { granted, release: () => this.#release(share, body) };
  }

  #release(owner: Owner, body: Body): void {
    const { state } = body;
    if (state === 'released') return;
    body.state = 'released';
    if (state === 'granted') {
      owner.bytes -= body.bytes;
      this.#bytes -= body.bytes;
    } else {
      owner.waiting.splice(owner.waiting.indexOf(body), 1);
      this.#waiting -= 1;
    }
    this.#queue(owner);
    if (owner.bytes === 0 && owner.waiting.length === 0) this.#owners.delete(owner.name);
    this.#admitWaiting();
  }

  #queue(owner: Owner): void {
    const first = owner.waiting[0];
    if (first !== undefined && owner.bytes + first.bytes <= ownerBytesMax) this.#turns.add(owner);
    else this.#turns.delete(owner);
  }

  /** Admits waiting bodies strictly in order: if smaller bodies overtook a larger one, it might never fit. */
  #admitWaiting(): void {
    for (const owner of this.#turns) {
      if (this.#bytes + owner.waiting[0]!.bytes > this.#bytesMax) return;
      const body = owner.waiting.shift()!;
      this.#waiting -= 1;
      this.#grant(owner, body);
      // Requeue the owner behind the others; the loop reaches it again.
      this.#turns.delete(owner);
      this.#queue(owner);
      body.grant();
    }
  }

  #grant(owner: Owner, body: Body): void {
    body.state = 'granted';
    owner.bytes += body.bytes;
    this.#bytes += body.bytes;
  }
}

export interface Reservation {
  /** Resolves when the body may be read; null if it may be read at once. */
  granted: Promise<void> | null;
  release(): void;
}

interface Body {
  bytes: number;
  state: 'waiting' | 'granted' | 'released';
  grant: () => void;
}

interface Owner {
  name: string;
  bytes: number;
  waiting: Body[];
}

/** Share of an owner: four bodies of the maximum size. */
export const ownerBytesMax = 8 * 1024 * 1024;
const ownerWaitingMax = 1024;

/** Bodies up to this size use an ordinary buffer: a mapping would cost more than it saves. */
const ordinaryBytesMax = 64 * 1024;
const stepBytes = 256 * 1024;

/** `free` returns the memory at once, as a mapping. Buffers would stay until a full garbage collection, then as holes in the heap. */
export class BodyBytes {
  readonly #bytesMax: number;
  readonly #block: ArrayBuffer;
  readonly #view: Uint8Array;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#block = bytesMax <= ordinaryBytesMax ? new ArrayBuffer(bytesMax) : new ArrayBuffer(0, { maxByteLength: bytesMax });
    this.#view = new Uint8Array(this.#block);
  }

  /** The bytes received so far. Valid until `free`. */
  get received(): Buffer {
    return Buffer.from(this.#block, 0, this.#length);
  }

  /** Appends a chunk. @returns false if the body exceeds its maximum; the chunk is then discarded */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return false;
    if (length > this.#block.byteLength) this.#block.resize(Math.min(this.#bytesMax, Math.max(length, this.#block.byteLength + stepBytes)));
    this.#view.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  free(): void {
    if (this.#block.resizable) closedPort.postMessage(null, [this.#block]);
  }
}

/** A buffer transferred to a port whose other end is closed is freed at once. (From Node 22 on, `ArrayBuffer.transfer` does it in one step.) */
const closedPort = ((): MessageChannel['port1'] => {
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  port2.close();
  return port1;
})();
