/** A call that cannot be done, with the sentence for the person who made it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** 1: it could not be done; 2: it was called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
