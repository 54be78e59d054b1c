/** Reverts what a fault did: last done, first undone; a failing step does not prevent the others. */
import type { Track } from '../system/spans.js';

export class Undo {
  readonly #steps: (() => unknown)[] = [];
  readonly #recoveries: (() => void)[] = [];

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  impair(...tracks: readonly Track[]): void {
    for (const track of tracks) this.#recoveries.push(track.impair());
  }

  /** @throws an AggregateError of the failures, after everything was tried */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} steps of a fault could not be reverted: ${errors.map(String).join('; ')}`);
  }

  recover(): void {
    for (const recover of this.#recoveries.splice(0)) recover();
  }
}
