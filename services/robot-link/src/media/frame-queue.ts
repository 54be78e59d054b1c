import type { DrawJob, PictureRef } from '@perch/schema';
import { renderHash, type Store } from '@perch/store';

/** A countdown names its frame when its turn comes: if there are more than renderers can draw, each changes less often, and nothing piles up. */
const drawingMax = 2;

export interface WantedFrame {
  job: Omit<DrawJob, 'hash'>;
  ttlMs: number;
  /** Time after which it is no longer needed, ms; null: none. */
  withinMs: number | null;
  signal: AbortSignal;
  drawn: (picture: PictureRef) => void;
  /** The frame was not drawn; not called for one that is no longer needed. */
  failed: (error: unknown) => void;
}

export interface FrameTaker {
  nextFrame(): WantedFrame | null;
}

export class FrameQueue {
  readonly #renders: Pick<Store['renders'], 'obtain'>;
  readonly #waiting = new Set<FrameTaker>();
  #drawing = 0;

  constructor(renders: Pick<Store['renders'], 'obtain'>) {
    this.#renders = renders;
  }

  /** Asks the countdown for frames, one at a time, until it needs none or one fails. */
  enter(taker: FrameTaker): void {
    this.#waiting.add(taker);
    this.#pump();
  }

  leave(taker: FrameTaker): void {
    this.#waiting.delete(taker);
  }

  #pump(): void {
    for (const taker of this.#waiting) {
      if (this.#drawing >= drawingMax) return;
      this.#waiting.delete(taker);
      const frame = taker.nextFrame();
      if (frame === null) continue;
      this.#drawing += 1;
      void this.#draw(taker, frame).finally(() => {
        this.#drawing -= 1;
        this.#pump();
      });
    }
  }

  async #draw(taker: FrameTaker, { job, ttlMs, withinMs, signal, drawn, failed }: WantedFrame): Promise<void> {
    const late = new AbortController();
    const timer = withinMs === null ? null : setTimeout(() => late.abort(), withinMs);
    const unneeded = AbortSignal.any([signal, late.signal]);
    try {
      const picture = await this.#renders.obtain({ ...job, hash: renderHash(job) }, { ttlMs, signal: unneeded });
      if (unneeded.aborted || picture.kind !== 'picture') return;
      drawn(picture);
      this.#waiting.add(taker);
    } catch (error) {
      if (!unneeded.aborted) failed(error);
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
  }
}
