/**
 * Bounds the memory of request bodies that are still arriving, per instance and per account.
 *
 * A body reserves its whole size before the first byte of it is read, so that every body that is being read can be completed: two half-read
 * bodies never wait for each other. Where there is no room, the body waits and its connection is not read from; nothing is refused.
 * Waiting bodies are admitted in order of arrival within an account, and accounts take turns.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #owners = new Map<string, Owner>();
  /** Owners whose first waiting body fits their own share: they wait for room in the instance, in this order. */
  readonly #turns = new Set<Owner>();
  #bytes = 0;
  #waiting = 0;

  /** @param bytesMax of the instance; at least one owner's share */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes reserved for bodies that are being read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bodies that wait for room. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Returns whether `reserve` would grant so many bytes at once. */
  hasRoom(owner: string, bytes: number): boolean {
    const { bytes: held = 0, waiting = [] } = this.#owners.get(owner) ?? {};
    return waiting.length === 0 && held + bytes <= ownerBytesMax && this.#turns.size === 0 && this.#bytes + bytes <= this.#bytesMax;
  }

  /**
   * Asks for room. Await `granted` before reading, and call `release` in any case: it gives the bytes back, or withdraws a body that still waits.
   * @param owner the account, or another name where there is none: each has a share of 8 MB
   * @param bytes at most 8 MB
   * @returns null if so many bodies of the owner wait already that their first packets alone are a burden
   */
  reserve(owner: string, bytes: number): Reservation | null {
    const immediately = this.hasRoom(owner, bytes);
    let share = this.#owners.get(owner);
    if (share === undefined) this.#owners.set(owner, (share = { name: owner, bytes: 0, waiting: [] }));
    if (share.waiting.length >= ownerWaitingMax) return null;
    const of = share;
    const body: Body = { bytes, state: 'waiting', grant: () => {} };
    if (immediately) this.#grant(of, body);
    else {
      of.waiting.push(body);
      this.#waiting += 1;
      if (of.waiting.length === 1) this.#queue(of);
    }
    const granted = body.state === 'waiting' ? new Promise<void>((resolve) => (body.grant = resolve)) : null;
    return { granted, release: () => this.#release(of, body) };
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

  /** Gives the owner a turn, or lets it keep the one it has, if its first waiting body fits its own share. */
  #queue(owner: Owner): void {
    const first = owner.waiting[0];
    if (first !== undefined && owner.bytes + first.bytes <= ownerBytesMax) this.#turns.add(owner);
    else this.#turns.delete(owner);
  }

  /** Strictly in turn: a smaller body must not overtake a larger one, which would then never fit. */
  #admitWaiting(): void {
    for (const owner of this.#turns) {
      if (this.#bytes + owner.waiting[0]!.bytes > this.#bytesMax) return;
      const body = owner.waiting.shift()!;
      this.#waiting -= 1;
      this.#grant(owner, body);
      // Behind the others; the loop comes to it again.
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
  /** Reserved. */
  bytes: number;
  waiting: Body[];
}

/** Four of the largest bodies. */
export const ownerBytesMax = 8 * 1024 * 1024;
/** Node holds up to 64 KB of a body that is not read from. */
const ownerWaitingMax = 1024;
