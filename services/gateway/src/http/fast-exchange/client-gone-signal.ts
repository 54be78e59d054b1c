/** Aborts with `ClientGone` when the client disconnects before its response. Creates the AbortController on first use: most actions end without it. */
import { ClientGone } from '../../calls/failures.js';

export class ClientGoneSignal {
  #abort: AbortController | null = null;
  #isGone = false;

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#isGone) this.#abort.abort(new ClientGone());
    }
    return this.#abort.signal;
  }

  setGone(): void {
    this.#isGone = true;
    this.#abort?.abort(new ClientGone());
  }
}
