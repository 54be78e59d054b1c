/** Runs the commands of one robot one after another, in the order in which they arrived. */
const pendingMax = 20;

export class CommandQueue {
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  /** Adds a command, which must not throw. @returns false if too many are pending; the command is then not run */
  add(command: () => Promise<void>): boolean {
    if (this.#pending >= pendingMax) return false;
    this.#pending++;
    this.#last = this.#last.then(command).finally(() => this.#pending--);
    return true;
  }

  /** Resolves when all commands that were added have ended. */
  drained(): Promise<void> {
    return this.#last;
  }
}
