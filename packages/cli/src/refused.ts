interface RefusedMore {
  lines?: readonly string[];
  fields?: object;
}

/** A call that cannot be done, with the sentence for the person who made it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** `usage`: it was called wrongly. */
  readonly kind: 'failed' | 'usage';
  readonly #more: RefusedMore;

  constructor(message: string, kind: 'failed' | 'usage' = 'failed', more: RefusedMore = {}) {
    super(message);
    this.kind = kind;
    this.#more = more;
  }

  /** Printed below the sentence. */
  get lines(): readonly string[] {
    return this.#more.lines ?? [];
  }

  /** Further fields of the JSON. */
  get fields(): object {
    return this.#more.fields ?? {};
  }
}
