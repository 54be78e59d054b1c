import type { WaitRecord } from '@perch/schema';
import { waitOfPicture, waitPictureId } from '@perch/store';
import type { CommandQueue } from '../commands/command-queue.js';
import { hasPages, pictureId } from './wait-commands.js';

/** Expiry of the command that removes a picture, ms; after that the `show_ms` of a question removes it. */
const removeWithinMs = 30_000;

/** The question and card that waits put on the screen. Commands that remove them go before all queued ones. */
export class WaitScreen {
  readonly #port: { readonly commands: CommandQueue; now(): number };
  /** Id of the wait whose question is on the screen: written last and not removed since. */
  question: string | null = null;
  /** The question has several pictures, of which any may show. */
  hasPages = false;

  constructor(port: { readonly commands: CommandQueue; now(): number }) {
    this.#port = port;
  }

  written(record: WaitRecord): void {
    this.question = pictureId(record);
    this.hasPages = hasPages(record);
  }

  /** @param shown id of the picture on the question layer, as in the robot's hello */
  takeOver(shown: string | null): void {
    const wait = shown === null ? null : waitOfPicture(shown);
    this.question = wait === null ? shown : waitPictureId(wait);
    this.hasPages = this.question !== shown;
  }

  removeQuestion(): void {
    const id = this.question;
    if (id === null) return;
    this.question = null;
    this.#clear(this.hasPages ? { layer: 'question' } : { layer: 'question', id });
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
