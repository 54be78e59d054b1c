/** A call that cannot be done, with the sentence for the person who made it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** `usage`: it was called wrongly. */
  readonly kind: 'failed' | 'usage';

  constructor(message: string, kind: 'failed' | 'usage' = 'failed') {
    super(message);
    this.kind = kind;
  }
}
