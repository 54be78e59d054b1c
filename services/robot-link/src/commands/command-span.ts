/** Spans of one traced command: the whole of it, the time until it is written to the socket, and the time until the robot confirms it. */
import type { Span } from '@perch/runtime';
import type { Command, CommandOutcome } from './command.js';

export class CommandSpan {
  readonly #span: Span;
  #step: Span;

  /** @param span of the whole command; this object ends it */
  constructor(span: Span) {
    this.#span = span;
    this.#step = span.child('queued');
  }

  get traceId(): string {
    return this.#span.traceId;
  }

  /** Called when the command and its pictures are written. A sound follows in pieces. */
  written({ attachments = [], sound }: Command): void {
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
