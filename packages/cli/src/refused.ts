interface RefusedMore {
  /** Printed below the message. */
  lines?: readonly string[];
  /** Added to the failure that `--json` prints. */
  fields?: object;
}

/** The command cannot be executed; the message is for the user. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** `usage`: the command line is wrong. */
  readonly kind: 'failed' | 'usage';
  readonly #more: RefusedMore;

  constructor(message: string, kind: 'failed' | 'usage' = 'failed', more: RefusedMore = {}) {
    super(message);
    this.kind = kind;
    this.#more = more;
  }

  get lines(): readonly string[] {
    return this.#more.lines ?? [];
  }

  get fields(): object {
    return this.#more.fields ?? {};
  }
}
