/** The robot's raw input: numbered from 1 per boot, kept until the service has it safe, sent again after a reconnect. */

import type { Fields, Input } from '../connection/messages.js';

/** The link asks for at least 64. */
const keptMax = 256;

export class InputLog {
  #seq = 0;
  #acked = 0;
  readonly #kept: Input[] = [];

  /** The last number given out. */
  get seq(): number {
    return this.#seq;
  }

  /** The highest number the service said is safe. */
  get acked(): number {
    return this.#acked;
  }

  /** Not yet acked, oldest first. */
  get unacked(): readonly Input[] {
    return this.#kept;
  }

  add(ms: number, kind: string, fields: Fields): Input {
    const input: Input = { t: 'in', seq: ++this.#seq, ms, kind, ...fields };
    this.#kept.push(input);
    if (this.#kept.length > keptMax) this.#kept.shift();
    return input;
  }

  /** @returns what is wrong with an ack of an input that was never sent */
  ack(seq: number): string | null {
    if (seq > this.#seq) return `in_ack ${seq}, the last input is ${this.#seq}`;
    this.#acked = Math.max(this.#acked, seq);
    while (this.#kept[0] && this.#kept[0].seq <= seq) this.#kept.shift();
    return null;
  }

  /** A new boot counts from 1 and has nothing to send. */
  boot(): void {
    this.#seq = 0;
    this.#acked = 0;
    this.#kept.length = 0;
  }
}
