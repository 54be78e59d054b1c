/**
 * Calls that are held open: waits for a tap, polls for events, and event streams. A call is aborted, with the reason, when its API key stops
 * working, when this instance drains and when its client disconnects.
 */
import type { Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';

type ApiKeys = Store['apiKeys'];

export const openCallKinds = ['wait', 'poll', 'stream'] as const;
export type OpenCallKind = (typeof openCallKinds)[number];

interface OpenCall {
  kind: OpenCallKind;
  keyHash: string;
  abort: AbortController;
}

/** A revoked key ends its calls within a second, which must also cover the round trip of the check and the delay of a busy process. */
const checkMs = 500;

export class OpenCalls {
  readonly #apiKeys: Pick<ApiKeys, 'stillValid'>;
  readonly #log: Logger;
  readonly #calls = new Set<OpenCall>();
  #timer: NodeJS.Timeout | null = null;
  #draining: ApiError | null = null;
  /** Kinds that are aborted as soon as they begin, because this instance drains. */
  readonly #rejected = new Set<OpenCallKind>();

  constructor(apiKeys: Pick<ApiKeys, 'stillValid'>, log: Logger) {
    this.#apiKeys = apiKeys;
    this.#log = log;
  }

  count(kind: OpenCallKind): number {
    let count = 0;
    for (const call of this.#calls) if (call.kind === kind) count++;
    return count;
  }

  /**
   * Runs `work` with a signal that aborts when the call must end. The reason is the error to respond with.
   * @param signal aborts when the client disconnects; passed on to `work`
   */
  async run<T>(keyHash: string, kind: OpenCallKind, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const call: OpenCall = { kind, keyHash, abort: new AbortController() };
    const onDisconnect = (): void => call.abort.abort(signal.reason);
    signal.addEventListener('abort', onDisconnect, { once: true });
    this.#calls.add(call);
    if (this.#draining !== null && this.#rejected.has(kind)) call.abort.abort(this.#draining);
    this.#timer ??= setInterval(() => void this.#check(), checkMs);
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
    const keyHashes = [...new Set([...this.#calls].map((call) => call.keyHash))];
    try {
      const valid = await this.#apiKeys.stillValid(keyHashes);
      const ended = new Set(keyHashes.filter((_, i) => valid[i] === false));
      if (ended.size > 0)
        this.#abort((call) => ended.has(call.keyHash), new ApiError('unauthorized', 'The API key stopped working while the call was open.'));
    } catch (error) {
      // Redis is unreachable: the open calls detect that themselves, and the next check follows soon.
      this.#log.warn({ err: error }, 'could not check the API keys of open calls');
    }
  }

  #abort(which: (call: OpenCall) => boolean, reason: ApiError): void {
    for (const call of this.#calls) if (which(call)) call.abort.abort(reason);
  }
}

export function isDraining(reason: unknown): boolean {
  return reason instanceof ApiError && reason.code === 'draining';
}

export function draining(): ApiError {
  return new ApiError('draining', 'This instance of the service is stopping. Send the call again.', { retryAfterS: 1 });
}
