/** What a fault did to the world, to be taken back whatever happens: last done, first undone; one that fails does not keep the others. */
import type { Track } from '../system/spans.js';

export class Undo {
  readonly #steps: (() => unknown)[] = [];
  readonly #recoveries: (() => void)[] = [];

  /** @param step may answer a promise, which is waited for */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** From now on these are not well, until `recover`. */
  spoil(...tracks: readonly Track[]): void {
    for (const track of tracks) this.#recoveries.push(track.spoil());
  }

  /** Takes everything back, once. @throws an AggregateError of what failed, after everything was tried */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of a fault could not be taken back: ${errors.map(String).join('; ')}`);
  }

  recover(): void {
    for (const recover of this.#recoveries.splice(0)) recover();
  }
}
