/**
 * Removes accounts for their owners. The response waits until nothing of the account works any more; what Redis keeps of it is deleted afterwards. A
 * removal that this or another instance leaves is resumed by any gateway.
 */
import type { Logger } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';
import type { RemovalOptions, Store } from '@perch/store';

/** Each reads the names of all keys in Redis several times. */
const atOnceMax = 4;
const lookEveryMs = 60_000;

export interface AccountRemovalsOptions {
  store: { accountRemoval: Pick<Store['accountRemoval'], 'remove' | 'resume'> };
  log: Logger;
  /** Default: a minute. */
  lookEveryMs?: number;
  /** For tests. */
  passes?: Pick<RemovalOptions, 'settledAfterMs' | 'passEveryMs' | 'resumedAfterMs'>;
}

export class AccountRemovals {
  readonly #options: AccountRemovalsOptions;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: AccountRemovalsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), this.#options.lookEveryMs ?? lookEveryMs);
    this.#timer.unref();
  }

  /** Leaves unfinished removals to other gateways. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#stopped.abort();
    await Promise.all(this.#running);
  }

  /**
   * Resolves once the account's sessions, keys and webhooks have ended and its robots are being closed.
   * @throws {ConsoleError} too_busy @throws {StoreError} the removal may have begun, and is then resumed
   */
  async begin(account: string, email: string): Promise<void> {
    if (this.#running.size >= atOnceMax)
      throw new ConsoleError('too_busy', 'Too many accounts are being deleted at the moment. Try again in a minute.', { retryAfterS: 60 });
    await new Promise<void>((revoked, failed) => {
      const remove = async (options: RemovalOptions): Promise<void> => {
        await this.#options.store.accountRemoval.remove(email, { ...options, onRevoked: revoked });
        // Another instance had removed it already.
        revoked();
      };
      this.#run(account, remove, failed);
    });
  }

  #look(): void {
    if (this.#running.size >= atOnceMax) return;
    this.#run(null, (options) => this.#options.store.accountRemoval.resume(options));
  }

  #run(account: string | null, work: (options: RemovalOptions) => Promise<unknown>, failed: (error: unknown) => void = () => {}): void {
    const { log, passes = {} } = this.#options;
    const run = work({ ...passes, signal: this.#stopped.signal })
      .catch((err: unknown) => {
        failed(err);
        if (!this.#stopped.signal.aborted) log.warn({ account, err }, 'the removal of an account was interrupted; a gateway resumes it');
      })
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
