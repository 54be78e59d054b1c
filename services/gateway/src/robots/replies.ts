/**
 * The answers this gateway waits for from robot-links, by the id it gave each question.
 * One timer looks after all of them, so that a command costs no timer of its own.
 */
import type { ToGateway } from '@perch/schema';

/** What came of a message to a robot-link: `late` when nothing came before the deadline, `failed` when Redis did not take it, as far as is known. */
export type Reply = ToGateway | { t: 'late' } | { t: 'failed'; error: Error };

interface Expected {
  /** On the monotonic clock, ms. */
  deadline: number;
  settle: (reply: Reply) => void;
  silence: Silence | undefined;
  /** When to look next whether the question went astray. */
  lookAt: number;
}

/** While no answer comes, somebody looks now and then: the receiver may be dead although nobody said so. */
export interface Silence {
  everyMs: number;
  look: () => void;
}

const sweepMs = 100;
const ignore = (): void => undefined;

export class Replies {
  readonly #instance: string;
  readonly #expected = new Map<string, Expected>();
  #count = 0;
  #sweep: NodeJS.Timeout | null = null;

  constructor(instance: string) {
    this.#instance = instance;
  }

  /** How many are waited for, for metrics and leak checks. */
  get size(): number {
    return this.#expected.size;
  }

  /** Unique among all gateways, and never used twice. */
  newId(): string {
    return `${this.#instance}.${(++this.#count).toString(36)}`;
  }

  /** The answer to message `id`, or `late` after `withinMs`. */
  expect(id: string, withinMs: number, silence?: Silence): Promise<Reply> {
    return new Promise((resolve) => {
      const now = performance.now();
      const lookAt = silence === undefined ? Infinity : now + silence.everyMs;
      this.#expected.set(id, { deadline: now + withinMs, settle: resolve, silence, lookAt });
      this.#sweep ??= setInterval(() => this.#sweepLate(), sweepMs);
    });
  }

  /** Hands an answer to whoever waits for it; one that nobody waits for any more is dropped. @returns whether somebody did */
  deliver(message: ToGateway): boolean {
    return this.#settle(message.id, message);
  }

  /** Ends the waiting for `id` with an answer of our own. */
  settle(id: string, reply: Reply): void {
    this.#settle(id, reply);
  }

  #settle(id: string, reply: Reply): boolean {
    const expected = this.#expected.get(id);
    if (expected === undefined) return false;
    this.#expected.delete(id);
    const { settle } = expected;
    // A table that the map has outgrown keeps the entries it had until the next full garbage collection, and through them whole requests.
    expected.settle = ignore;
    expected.silence = undefined;
    settle(reply);
    return true;
  }

  #sweepLate(): void {
    const now = performance.now();
    for (const [id, expected] of this.#expected) {
      if (now >= expected.deadline) this.#settle(id, { t: 'late' });
      else if (expected.silence !== undefined && now >= expected.lookAt) {
        expected.lookAt = now + expected.silence.everyMs;
        expected.silence.look();
      }
    }
    if (this.#expected.size > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
