import type { CommandQueue } from '../commands/command-queue.js';

/** Expiry of the command that removes a picture, ms; after that the `show_ms` of a question removes it. */
const removeWithinMs = 30_000;

export class WaitScreen {
  readonly #port: { readonly commands: CommandQueue; now(): number };
  /** Id of the picture on the question layer: written last and not removed since. */
  question: string | null = null;

  constructor(port: { readonly commands: CommandQueue; now(): number }) {
    this.#port = port;
  }

  removeQuestion(): void {
    const id = this.question;
    if (id === null) return;
    this.question = null;
    this.#clear({ layer: 'question', id });
  }

  clearQuestion(): void {
    this.question = null;
    this.#clear({ layer: 'question' });
  }

  removeCard(id: string): void {
    this.#clear({ layer: 'card', id });
  }

  #clear(args: { layer: 'card' | 'question'; id?: string }): void {
    this.#port.commands.pushFirst({ name: 'screen.clear', args, expires: this.#port.now() + removeWithinMs, done: () => {} });
  }
}
