/** The process cannot run as things are, and its message is a sentence for the operator: it is shown without a stack, and the exit code is not 0. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
