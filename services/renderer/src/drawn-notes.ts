import type { PictureNotes, PictureRef } from '@perch/schema';

/** Collects the notes on a picture while it is drawn. */
export class DrawnNotes {
  readonly #truncated: Set<string>;
  readonly #missing: Set<string>;
  readonly #adjusted: Set<string>;

  page?: NonNullable<PictureRef['page']>;

  constructor({ truncated = [], missing = [], adjusted = [] }: PictureNotes = {}) {
    this.#truncated = new Set(truncated);
    this.#missing = new Set(missing);
    this.#adjusted = new Set(adjusted);
  }

  /** @param name path of the text's argument; undefined: the text is of no argument */
  addTruncated(name: string | undefined): void {
    if (name !== undefined) this.#truncated.add(name);
  }

  addMissing(character: string): void {
    this.#missing.add(character);
  }

  /** Returns an object also if there is nothing to note: without one it is unknown whether the picture is whole. */
  get(): PictureNotes {
    return {
      ...(this.#truncated.size === 0 ? {} : { truncated: [...this.#truncated] }),
      ...(this.#missing.size === 0 ? {} : { missing: [...this.#missing] }),
      ...(this.#adjusted.size === 0 ? {} : { adjusted: [...this.#adjusted] }),
    };
  }
}
