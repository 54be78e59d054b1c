/** Takes a job only when it has a slot for it: a job held idle by one of an instance's workers would be unavailable to other instances. */
import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import type { Slots } from './slots.js';

export class SlotWorker<Data> extends Worker<Data> {
  readonly #slots: Slots;
  /** Restores the marker that woke this worker, so that it wakes a worker of another instance. */
  readonly #wakeAnother: () => Promise<unknown>;
  /** Tokens of jobs being fetched or processed: a job fetched at the end of another keeps that one's token and slot. */
  readonly #holding = new Set<string>();

  constructor(name: string, work: Processor<Data>, options: WorkerOptions, slots: Slots, wakeAnother: () => Promise<unknown>) {
    super(name, work, { ...options, autorun: false });
    this.#slots = slots;
    this.#wakeAnother = wakeAnother;
    // Started here: BullMQ may fetch from now on.
    this.run().catch((error: unknown) => this.emit('error', error as Error));
  }

  /** Ends the timer that extends the locks of jobs, to which BullMQ's `close` does not come if Redis does not reply. */
  abandon(): void {
    void this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data>> {
    if (!this.#holding.has(token)) {
      if (!(await this.#slot())) return undefined as unknown as Job<Data>;
      this.#holding.add(token);
    }
    let job: Job<Data> | undefined;
    try {
      job = await super.moveToActive(token, name);
    } finally {
      if (job === undefined) this.#release(token);
      // The fetch set the marker again: the next one waits for it instead of being a script that mostly finds nothing.
      else (this as unknown as { drained: boolean }).drained = true;
    }
    return job;
  }

  override async processJob(job: Job<Data>, token: string, fetchNext: () => boolean = () => true): Promise<void | Job<Data>> {
    let next: void | Job<Data> = undefined;
    try {
      // A waiting worker of another shard gets the slot before this shard's next job. If this worker waits for the marker, a job would have woken it.
      next = await super.processJob(job, token, () => !this.#slots.contended && !this.#isWaiting && fetchNext());
    } finally {
      if (!next) this.#release(token);
    }
    return next;
  }

  get #isWaiting(): boolean {
    return (this as unknown as { waiting: Promise<unknown> | null }).waiting !== null;
  }

  async #slot(): Promise<boolean> {
    if (this.#slots.take()) return true;
    // While BullMQ's loop awaits a fetch it starts no fetched job, unless `waiting` (used for nothing else here) says that the fetch may take long.
    const loop = this as unknown as { waiting: Promise<unknown> | null };
    const waiting = this.#nextSlot();
    const isOurs = loop.waiting === null;
    if (isOurs) loop.waiting = waiting;
    try {
      return await waiting;
    } finally {
      if (isOurs) loop.waiting = null;
    }
  }

  async #nextSlot(): Promise<boolean> {
    // Connection errors recur in the fetch that follows.
    await this.#wakeAnother().catch(() => {});
    return this.#slots.wait();
  }

  #release(token: string): void {
    if (this.#holding.delete(token)) this.#slots.release();
  }
}
