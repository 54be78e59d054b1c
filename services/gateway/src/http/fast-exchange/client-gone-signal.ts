/** Aborts with `ClientGone` when the client disconnects before its response. Creates the AbortController on first use: most actions end without it. */
import { ClientGone } from '../../calls/failures.js';

export class ClientGoneSignal {
  #abort: AbortController | null = null;
  #isGone = false;
  #listener: (() => void) | null = null;

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#isGone) this.#abort.abort(new ClientGone());
    }
    return this.#abort.signal;
  }

  /** For one listener at a time, which needs no AbortController. Calls it at once if the client has disconnected. @returns ends listening */
  whenGone(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isGone) listener();
    return () => {
      this.#listener = null;
    };
  }

  setGone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#abort?.abort(new ClientGone());
    this.#listener?.();
  }
}
