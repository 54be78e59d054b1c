/**
 * Calls that are held open: waits for a person, polls for events, and streams of them. They end when their key stops working, when this
 * instance drains, and when their client hangs up; each way is one abort with its reason.
 */
import type { Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';

type ApiKeys = Store['apiKeys'];

export const heldKinds = ['wait', 'poll', 'stream'] as const;
export type HeldKind = (typeof heldKinds)[number];

interface Held {
  kind: HeldKind;
  keyHash: string;
  abort: AbortController;
}

/** A revoked key ends its calls within a second: the round trip of the check is part of it, and a busy process looks late. */
const checkMs = 500;

export class HeldCalls {
  readonly #apiKeys: Pick<ApiKeys, 'stillValid'>;
  readonly #log: Logger;
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | null = null;
  #draining: ApiError | null = null;
  /** Which kinds end as soon as they begin. */
  readonly #over = new Set<HeldKind>();

  constructor(apiKeys: Pick<ApiKeys, 'stillValid'>, log: Logger) {
    this.#apiKeys = apiKeys;
    this.#log = log;
  }

  count(kind: HeldKind): number {
    let count = 0;
    for (const held of this.#held) if (held.kind === kind) count++;
    return count;
  }

  /**
   * Runs `work` with a signal that is aborted, with the reason to answer, when the call may not go on.
   * @param signal the client's: its abort is passed on
   */
  async run<T>(keyHash: string, kind: HeldKind, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const held: Held = { kind, keyHash, abort: new AbortController() };
    const hangUp = (): void => held.abort.abort(signal.reason);
    signal.addEventListener('abort', hangUp, { once: true });
    this.#held.add(held);
    if (this.#draining !== null && this.#over.has(kind)) held.abort.abort(this.#draining);
    this.#timer ??= setInterval(() => void this.#check(), checkMs);
    try {
      return await work(held.abort.signal);
    } finally {
      signal.removeEventListener('abort', hangUp);
      this.#held.delete(held);
      if (this.#held.size === 0 && this.#timer !== null) {
        clearInterval(this.#timer);
        this.#timer = null;
      }
    }
  }

  /** From now on polls are answered with what there is and streams end, at once: their client goes on elsewhere. Waits go on. */
  endReads(): void {
    this.#end(['poll', 'stream']);
  }

  /** Ends all that are left, with 503 draining. */
  endAll(): void {
    this.#end(heldKinds);
  }

  #end(kinds: readonly HeldKind[]): void {
    this.#draining ??= draining();
    for (const kind of kinds) this.#over.add(kind);
    this.#abort((held) => kinds.includes(held.kind), this.#draining);
  }

  async #check(): Promise<void> {
    const keyHashes = [...new Set([...this.#held].map((held) => held.keyHash))];
    try {
      const valid = await this.#apiKeys.stillValid(keyHashes);
      const ended = new Set(keyHashes.filter((_, i) => valid[i] === false));
      if (ended.size > 0)
        this.#abort((held) => ended.has(held.keyHash), new ApiError('unauthorized', 'The API key stopped working while the call was held.'));
    } catch (error) {
      // Redis is away: the held calls find that out themselves, and the next check comes soon.
      this.#log.warn({ err: error }, 'the keys of held calls could not be checked');
    }
  }

  #abort(which: (held: Held) => boolean, reason: ApiError): void {
    for (const held of this.#held) if (which(held)) held.abort.abort(reason);
  }
}

/** Whether a held call was aborted because this instance stops. */
export function isDraining(reason: unknown): boolean {
  return reason instanceof ApiError && reason.code === 'draining';
}

export function draining(): ApiError {
  return new ApiError('draining', 'This instance of the service is stopping. Send the call again.', { retryAfterS: 1 });
}
