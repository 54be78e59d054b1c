/** The message is for the operator and is shown without a stack; the exit code is not 0. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
