/**
 * Says whether a press decides. It does only if the page had been visible and focused for a second, and the press began after that: a window that closes
 * under a double click, or a key that is still held from the page before, must not decide what nobody has read.
 */
export interface GuardClock {
  /** ms. */
  now(): number;
  /** @returns cancels it */
  after(ms: number, run: () => void): () => void;
}

export const pageClock: GuardClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** `away`: hidden, or another window has the focus. `early`: not yet in view for long enough. */
export type DecisionState = 'away' | 'early' | 'ready';

export const inViewMs = 1000;

/** Keys that press a button, or send the form of a field. */
const pressingKeys: ReadonlySet<string> = new Set(['Enter', ' ']);

export class DecisionGuard {
  readonly #clock: GuardClock;
  readonly #onChange: (state: DecisionState) => void;
  #state: DecisionState | null = null;
  #since = 0;
  #about = '';
  #cancel = (): void => {};
  /** When the latest press of the pointer began; null: it has ended in a click. */
  #pointerAt: number | null = null;
  /** When each key that is held was pressed. */
  readonly #keysAt = new Map<string, number>();

  constructor(clock: GuardClock, onChange: (state: DecisionState) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** @param isInView whether the page is visible and focused; only the first call and a change restart the time */
  see(isInView: boolean): void {
    if (this.#state !== null && isInView === (this.#state !== 'away')) return;
    this.#cancel();
    this.#keysAt.clear();
    this.#pointerAt = null;
    this.#since = this.#clock.now();
    if (isInView) this.#readyIn(inViewMs);
    this.#become(isInView ? 'early' : 'away');
  }

  /** @param about what is decided on; a change restarts the time */
  decideOn(about: string): void {
    if (about === this.#about) return;
    this.#about = about;
    if (this.#state === null || this.#state === 'away') return;
    this.see(false);
    this.see(true);
  }

  pointerDown(): void {
    this.#pointerAt = this.#clock.now();
  }

  /** @param isRepeat a key that was pressed before this page had the focus sends nothing but repetitions */
  keyDown(key: string, isRepeat: boolean): void {
    if (pressingKeys.has(key) && !this.#keysAt.has(key)) this.#keysAt.set(key, isRepeat ? -Infinity : this.#clock.now());
  }

  /** The click of a space bar follows its release. */
  keyUp(key: string): void {
    this.#clock.after(0, () => this.#keysAt.delete(key));
  }

  /** @param byPointer false: a key, or a screen reader, which may send a click alone @returns whether it decides */
  click(byPointer: boolean): boolean {
    const now = this.#clock.now();
    const began = byPointer ? (this.#pointerAt ?? now) : Math.min(now, ...this.#keysAt.values());
    if (byPointer) this.#pointerAt = null;
    return this.#state === 'ready' && began >= this.#since + inViewMs;
  }

  stop(): void {
    this.#cancel();
  }

  #readyIn(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => {
      const missing = this.#since + inViewMs - this.#clock.now();
      // Timers of some browsers fire a fraction of a millisecond early.
      if (missing > 0) this.#readyIn(missing);
      else this.#become('ready');
    });
  }

  #become(state: DecisionState): void {
    this.#state = state;
    this.#onChange(state);
  }
}
