import type { Span } from '@perch/runtime';
import type { Attachment, SoundRef } from '@perch/schema';
import type { CommandOutcome } from './command-outcome.js';

export class CommandSpan {
  readonly #span: Span;
  #step: Span;

  constructor(span: Span) {
    this.#span = span;
    this.#step = span.child('queued');
  }

  get traceId(): string {
    return this.#span.traceId;
  }

  written({ attachments = [], sound }: { attachments?: readonly Attachment[]; sound?: SoundRef }): void {
    this.#step.end();
    this.#step = this.#span.child('robot');
    const pictureBytes = attachments.reduce((sum, { picture }) => sum + picture.bytes, 0);
    if (attachments.length > 0) this.#step.event('picture sent', { 'perch.media.bytes': pictureBytes });
    if (sound !== undefined) this.#step.event('sound begun', { 'perch.media.bytes': sound.bytes });
  }

  ended(outcome: CommandOutcome): void {
    this.#step.end();
    this.#span.set({ 'perch.outcome': outcome.kind });
    if (outcome.kind === 'nack') this.#span.fail(outcome.code);
    this.#span.end();
  }
}
