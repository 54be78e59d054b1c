/** Waits, polls and event streams that are held open. Each is aborted, with the reason, on a revoked key, an ended sharing, a drain and a disconnect. */
import type { Logger } from '@perch/runtime';
import type { ApiError } from '@perch/schema';
import type { GuestPass } from '@perch/store';
import { draining } from './failures.js';
import { keyStopped, openCallCheckMs, sharingEnded, type KeyValidity } from './key-validity.js';

export const openCallKinds = ['wait', 'poll', 'stream'] as const;
export type OpenCallKind = (typeof openCallKinds)[number];

/** Whose call it is. */
export interface OpenCaller {
  readonly keyHash: string;
  /** Null or absent: the robot is the caller's own, or the call has none. */
  readonly guest?: GuestPass | null;
}

interface OpenCall {
  kind: OpenCallKind;
  keyHash: string;
  guest: GuestPass | null;
  abort: AbortController;
}

export class OpenCalls {
  readonly #keyValidity: KeyValidity;
  readonly #log: Logger;
  readonly #calls = new Set<OpenCall>();
  #timer: NodeJS.Timeout | null = null;
  #draining: ApiError | null = null;
  /** Kinds that are aborted as soon as they begin, because this instance drains. */
  readonly #rejected = new Set<OpenCallKind>();

  constructor(keyValidity: KeyValidity, log: Logger) {
    this.#keyValidity = keyValidity;
    this.#log = log;
  }

  count(kind: OpenCallKind): number {
    let count = 0;
    for (const call of this.#calls) if (call.kind === kind) count++;
    return count;
  }

  /** @param signal aborts when the client disconnects. The signal passed to `work` aborts with the error to respond with */
  async run<T>(
    { keyHash, guest = null }: OpenCaller,
    kind: OpenCallKind,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const call: OpenCall = { kind, keyHash, guest, abort: new AbortController() };
    const onDisconnect = (): void => call.abort.abort(signal.reason);
    signal.addEventListener('abort', onDisconnect, { once: true });
    this.#calls.add(call);
    if (this.#draining !== null && this.#rejected.has(kind)) call.abort.abort(this.#draining);
    this.#timer ??= setInterval(() => void this.#check(), openCallCheckMs);
    try {
      return await work(call.abort.signal);
    } finally {
      signal.removeEventListener('abort', onDisconnect);
      this.#calls.delete(call);
      if (this.#calls.size === 0 && this.#timer !== null) {
        clearInterval(this.#timer);
        this.#timer = null;
      }
    }
  }

  /** Ends polls and streams now and from now on, so that their clients continue at another instance. Waits continue. */
  endReads(): void {
    this.#end(['poll', 'stream']);
  }

  endAll(): void {
    this.#end(openCallKinds);
  }

  #end(kinds: readonly OpenCallKind[]): void {
    this.#draining ??= draining();
    for (const kind of kinds) this.#rejected.add(kind);
    this.#abort((call) => kinds.includes(call.kind), this.#draining);
  }

  async #check(): Promise<void> {
    const calls = [...this.#calls];
    const keyHashes = [...new Set(calls.map((call) => call.keyHash))];
    const guests = calls.flatMap(({ guest }) => guest ?? []);
    try {
      const [stopped, ended] = await Promise.all([this.#keyValidity.stopped(keyHashes), this.#keyValidity.ended(guests)]);
      if (stopped.size > 0) this.#abort((call) => stopped.has(call.keyHash), keyStopped('while the call was open'));
      if (ended.size > 0) this.#abort(({ guest }) => guest !== null && ended.has(guest), sharingEnded('while the call was open'));
    } catch (error) {
      // Redis is unreachable: the open calls detect that themselves, and the next check follows soon.
      this.#log.warn({ err: error }, 'could not check the API keys of open calls');
    }
  }

  #abort(which: (call: OpenCall) => boolean, reason: ApiError): void {
    for (const call of this.#calls) if (which(call)) call.abort.abort(reason);
  }
}
