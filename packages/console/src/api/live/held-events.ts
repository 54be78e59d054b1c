/** Live events that arrive while their page is rendered for the first time: applied then, they would make React render the whole page in one task. */

/** Time after which the events no longer wait for their page, ms. */
const holdMs = 5000;

export class HeldEvents<Event> {
  readonly #apply: (event: Event) => void;
  #held: Event[] | null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isHolding whether events wait for `release`, at most `holdMs` from the first one on */
  constructor(isHolding: boolean, apply: (event: Event) => void) {
    this.#held = isHolding ? [] : null;
    this.#apply = apply;
  }

  /** Applies an event, or keeps it until `release`. */
  add(event: Event): void {
    if (this.#held === null) return this.#apply(event);
    this.#held.push(event);
    this.#timer ??= setTimeout(() => this.release(), holdMs);
  }

  /** Applies the kept events in their order, and all later ones at once. */
  release(): void {
    clearTimeout(this.#timer);
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#apply(event);
  }
}
