/** The log of raw input: numbered from 1 per boot, kept until the service acknowledges it, resent after a reconnect. */

import type { Fields, Input } from '../connection/messages.js';

/** The link requires at least 64. */
const keptMax = 256;

export class InputLog {
  #seq = 0;
  #acked = 0;
  readonly #kept: Input[] = [];

  get seq(): number {
    return this.#seq;
  }

  get acked(): number {
    return this.#acked;
  }

  get unacked(): readonly Input[] {
    return this.#kept;
  }

  add(ms: number, kind: string, fields: Fields): Input {
    const input: Input = { t: 'in', seq: ++this.#seq, ms, kind, ...fields };
    this.#kept.push(input);
    if (this.#kept.length > keptMax) this.#kept.shift();
    return input;
  }

  /** @returns the problem if it acknowledges input that was never sent, or null */
  ack(seq: number): string | null {
    if (seq > this.#seq) return `in_ack ${seq}, the last input is ${this.#seq}`;
    this.#acked = Math.max(this.#acked, seq);
    while (this.#kept[0] && this.#kept[0].seq <= seq) this.#kept.shift();
    return null;
  }

  boot(): void {
    this.#seq = 0;
    this.#acked = 0;
    this.#kept.length = 0;
  }
}
