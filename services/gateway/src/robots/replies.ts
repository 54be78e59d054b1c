/** Pending replies of robot-links, by message id. One timer serves all of them, so that a command needs no timer of its own. */
import type { ToGateway } from '@perch/schema';
import type { Store, UnreadableMessage } from '@perch/store';

/** Result of a message to a robot-link. `late`: no reply before the deadline. `failed`: Redis did not accept the message, as far as is known. */
export type Reply = ToGateway | { t: 'late' } | { t: 'failed'; error: Error };

interface PendingReply {
  deadline: number;
  settle: (reply: Reply) => void;
  silence: SilenceCheck | undefined;
  checkAt: number;
}

/** A check repeated while no reply arrives: the receiver may be dead without anyone having noticed. */
export interface SilenceCheck {
  everyMs: number;
  check: () => void;
}

const sweepMs = 100;
const ignore = (): void => undefined;

export class Replies {
  readonly #instance: string;
  readonly #pending = new Map<string, PendingReply>();
  #count = 0;
  #stop: () => Promise<void> = async () => {};
  #sweep: NodeJS.Timeout | null = null;

  constructor(instance: string) {
    this.#instance = instance;
  }

  get size(): number {
    return this.#pending.size;
  }

  newId(): string {
    return `${this.#instance}.${(++this.#count).toString(36)}`;
  }

  expect(id: string, withinMs: number, silence?: SilenceCheck): Promise<Reply> {
    return new Promise((resolve) => {
      const now = performance.now();
      const checkAt = silence === undefined ? Infinity : now + silence.everyMs;
      this.#pending.set(id, { deadline: now + withinMs, settle: resolve, silence, checkAt });
      this.#sweep ??= setInterval(() => this.#sweepLate(), sweepMs);
    });
  }

  /** Receives the replies of robot-links until `stop`. @throws {StoreError} */
  async receive({ gatewayMailbox }: Pick<Store, 'gatewayMailbox'>, unreadable: (message: UnreadableMessage) => void): Promise<void> {
    this.#stop = await gatewayMailbox.receive(this.#instance, (message) => this.settle(message.id, message), {
      unreadable: (message) => {
        unreadable(message);
        // The robot may have executed the command, and no other reply will follow.
        this.settle(message.id, { t: 'late' });
      },
    });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  settle(id: string, reply: Reply): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { settle } = pending;
    // A hash table that the map has outgrown keeps its entries until the next full garbage collection, and through them whole requests.
    pending.settle = ignore;
    pending.silence = undefined;
    settle(reply);
  }

  #sweepLate(): void {
    const now = performance.now();
    for (const [id, pending] of this.#pending) {
      if (now >= pending.deadline) this.settle(id, { t: 'late' });
      else if (pending.silence !== undefined && now >= pending.checkAt) {
        pending.checkAt = now + pending.silence.everyMs;
        pending.silence.check();
      }
    }
    if (this.#pending.size > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
