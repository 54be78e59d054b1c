/**
 * Limits the memory of request bodies that are still arriving, per instance and account. A body reserves its whole size before its first byte is
 * read, so that two half-read bodies never wait for each other. One beyond the budget waits, unread; it is not rejected. Waiting bodies are admitted
 * in order of arrival within an account, and round-robin across accounts.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #owners = new Map<string, Owner>();
  /** Owners whose first waiting body fits their own share. They wait for memory of the instance, in this order. */
  readonly #turns = new Set<Owner>();
  #bytes = 0;
  #waiting = 0;

  /** @param bytesMax budget of the instance; at least one owner's share */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#waiting;
  }

  hasRoom(owner: string, bytes: number): boolean {
    const { bytes: held = 0, waiting = [] } = this.#owners.get(owner) ?? {};
    return waiting.length === 0 && held + bytes <= ownerBytesMax && this.#turns.size === 0 && this.#bytes + bytes <= this.#bytesMax;
  }

  /**
   * Await `granted` before reading, and call `release` in any case. Each owner (account or another name) has a share of 8 MB. Null: so many bodies of
   * the owner wait that Node's buffers for them are a burden. @param bytes at most 8 MB
   */
  reserve(owner: string, bytes: number): Reservation | null {
    const immediately = this.hasRoom(owner, bytes);
    const share = this.#owners.get(owner) ?? { name: owner, bytes: 0, waiting: [] };
    this.#owners.set(owner, share);
    if (share.waiting.length >= ownerWaitingMax) return null;
    const body: Body = { bytes, state: 'waiting', grant: () => {} };
    if (immediately) this.#grant(share, body);
    else {
      share.waiting.push(body);
      this.#waiting += 1;
      if (share.waiting.length === 1) this.#queue(share);
    }
    const granted = body.state === 'waiting' ? new Promise<void>((resolve) => (body.grant = resolve)) : null;
    return { granted, release: () => this.#release(share, body) };
  }

  #release(owner: Owner, body: Body): void {
    const { state } = body;
    if (state === 'released') return;
    body.state = 'released';
    if (state === 'granted') {
      owner.bytes -= body.bytes;
      this.#bytes -= body.bytes;
    } else {
      owner.waiting.splice(owner.waiting.indexOf(body), 1);
      this.#waiting -= 1;
    }
    this.#queue(owner);
    if (owner.bytes === 0 && owner.waiting.length === 0) this.#owners.delete(owner.name);
    this.#admitWaiting();
  }

  #queue(owner: Owner): void {
    const first = owner.waiting[0];
    if (first !== undefined && owner.bytes + first.bytes <= ownerBytesMax) this.#turns.add(owner);
    else this.#turns.delete(owner);
  }

  /** Admits waiting bodies strictly in order: if smaller bodies overtook a larger one, it might never fit. */
  #admitWaiting(): void {
    for (const owner of this.#turns) {
      if (this.#bytes + owner.waiting[0]!.bytes > this.#bytesMax) return;
      const body = owner.waiting.shift()!;
      this.#waiting -= 1;
      this.#grant(owner, body);
      // Requeue the owner behind the others; the loop reaches it again.
      this.#turns.delete(owner);
      this.#queue(owner);
      body.grant();
    }
  }

  #grant(owner: Owner, body: Body): void {
    body.state = 'granted';
    owner.bytes += body.bytes;
    this.#bytes += body.bytes;
  }
}

export interface Reservation {
  /** Resolves when the body may be read; null if it may be read at once. */
  granted: Promise<void> | null;
  release(): void;
}

interface Body {
  bytes: number;
  state: 'waiting' | 'granted' | 'released';
  grant: () => void;
}

interface Owner {
  name: string;
  bytes: number;
  waiting: Body[];
}

/** Share of an owner: four bodies of the maximum size. */
export const ownerBytesMax = 8 * 1024 * 1024;
const ownerWaitingMax = 1024;
