/** Retries a release every second: otherwise the robot would count as connected until the instance ends. */
import { StoreError, type SavedState } from '@perch/store';
import { noteFailure, type LinkContext } from '../session/context.js';

const pendingMax = 50_000;
const giveUpMs = 10 * 60_000;

interface LeaseRelease {
  robot: string;
  session: string;
  state: 'moving' | 'away';
  saved: SavedState | null;
  since: number;
}

export class LeaseReleases {
  readonly #context: Pick<LinkContext, 'store' | 'metrics' | 'log'>;
  readonly #pending = new Map<string, LeaseRelease>();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(context: Pick<LinkContext, 'store' | 'metrics' | 'log'>) {
    this.#context = context;
  }

  get size(): number {
    return this.#inFlight.size + this.#pending.size;
  }

  send(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void {
    this.#start({ robot, session, state, saved, since: performance.now() });
  }

  retry(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const release of pending) if (performance.now() - release.since < giveUpMs) this.#start(release);
  }

  async done(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #start(release: LeaseRelease): void {
    const sending: Promise<void> = this.#release(release).finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #release(release: LeaseRelease): Promise<void> {
    const { robot, session, state, saved } = release;
    try {
      // The script ignores the release if another session has taken the lease meanwhile.
      await this.#context.store.leases.release(robot, session, state, saved ?? undefined);
    } catch (error) {
      noteFailure(this.#context, 'release', error);
      if (error instanceof StoreError && this.#pending.size < pendingMax) this.#pending.set(session, release);
    }
  }
}
