/**
 * A renderer's way past the queue. It announces its free slots as places in each job shard; the script that enters a gateway's demand takes a place and
 * publishes the render on this renderer's channel. A place is a hint: a render that finds no free slot is left to the queue.
 */
import { randomUUID } from 'node:crypto';
import { isObject, type RenderJob } from '@perch/schema';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { Slots } from '../jobs/workers.js';

const placeTtlMs = 3000;
const renewEveryMs = 1000;
/** Workers take a slot for a moment whenever they look for a job. */
const adaptAfterMs = 25;

export interface DirectRender {
  place: string;
  shard: number;
  /** By the clock of the gateway. */
  sentAt: number;
  /** A gateway of another release may have sent it; all releases have these fields. */
  job: Pick<RenderJob, 'account' | 'hash'>;
}

export interface DirectWork {
  /** Never rejects. @param release frees the slot; returns the TTL (ms) with which to announce the place again, 0 if the slot is no longer free */
  run(render: DirectRender, release: () => number): Promise<void>;
  /** Leaves a render that will not be made here to the queue. Never rejects. */
  leave(render: DirectRender): Promise<void>;
}

export interface RenderPlacesOptions {
  redis: Connections;
  slots: Slots;
  /** Number of job shards that the renderer works on, which may grow. */
  shards: () => number;
  work: DirectWork;
  onError: (error: Error) => void;
}

export class RenderPlaces {
  readonly #redis: Connections;
  readonly #slots: Slots;
  readonly #count: () => number;
  readonly #work: DirectWork;
  readonly #renderer = randomUUID();
  readonly #used: string[];
  /** Announced as free, with the shards where the last renewal did not find it. */
  readonly #free = new Map<string, Set<number>>();
  /** Free places that a render has taken in its shard. They stay announced in the other shards, as most are free again soon. */
  readonly #taken = new Set<string>();
  /** Remove the listener of each shard's channel. */
  readonly #shards: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #adapting: NodeJS.Timeout | null = null;
  #opening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor({ redis, slots, shards, work, onError }: RenderPlacesOptions) {
    this.#redis = redis;
    this.#slots = slots;
    this.#count = shards;
    this.#work = work;
    this.#used = Array.from({ length: slots.total }, (_, number) => `${this.#renderer}/${number}`);
    slots.onChange = () => {
      this.#adapting ??= setTimeout(() => {
        this.#adapting = null;
        this.#adapt();
      }, adaptAfterMs).unref();
    };
    this.#timer = setInterval(() => void this.#renew().catch(onError), renewEveryMs);
    this.#timer.unref();
  }

  /** Subscribes before it announces places: Redis counts the receivers of a request. Retried at each renewal. */
  open(): Promise<void> {
    const open = async (): Promise<void> => {
      for (let shard = this.#shards.length; shard < this.#count() && this.#closing === null; shard++) {
        const channel = sharedKeys.rendererChannel(this.#renderer, shard);
        const remove = await this.#redis.subscriber.subscribe(channel, (message) => this.#receive(message, shard));
        // `close` does not wait for a subscription, which a Cluster that is unreachable would never confirm.
        if (this.#closing !== null) return remove();
        this.#shards.push(remove);
        await this.#announce([...this.#free.keys()], shard);
      }
      this.#adapt();
    };
    return (this.#opening = this.#opening.then(open, open));
  }

  /** Withdraws all places, handles requests until Redis has confirmed the end of the subscription, and waits for the renders. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#adapting ?? undefined);
    this.#slots.onChange = () => {};
    const places = [...this.#free.keys()];
    this.#free.clear();
    await Promise.all(this.#shards.map((_, shard) => this.#withdraw(places, shard)));
    await Promise.all(this.#shards.map((_, shard) => this.#redis.subscriber.unsubscribed(sharedKeys.rendererChannel(this.#renderer, shard))));
    for (const remove of this.#shards) remove();
    await Promise.all(this.#running);
  }

  /** Announces as many places as slots are free. */
  #adapt(): void {
    if (this.#closing !== null || this.#shards.length === 0) return;
    while (this.#free.size > this.#slots.free) {
      const [place] = [...this.#taken, ...this.#free.keys()];
      this.#free.delete(place!);
      this.#taken.delete(place!);
      this.#used.push(place!);
      for (const shard of this.#shards.keys()) void this.#withdraw([place!], shard);
    }
    while (this.#free.size < this.#slots.free) {
      const place = this.#used.pop()!;
      this.#free.set(place, new Set());
      for (const shard of this.#shards.keys()) void this.#announce([place], shard);
    }
  }

  #receive(message: string | null, shard: number): void {
    const [, place, sentAt, text] = /^(\S+) ([0-9]+) (.*)$/s.exec(message ?? '') ?? [];
    const job = jobOf(text);
    if (place === undefined || job === null || !place.startsWith(`${this.#renderer}/`)) return;
    const running = this.#run({ place, shard, sentAt: Number(sentAt), job }).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(render: DirectRender): Promise<void> {
    const { place, shard } = render;
    // A job took the slot meanwhile, or a request of another shard.
    if (!this.#slots.take()) return this.#work.leave(render);
    if (this.#free.has(place)) this.#taken.add(place);
    let isReleased = false;
    const release = (): number => {
      if (isReleased) return 0;
      isReleased = true;
      // A worker that waits for a slot gets it.
      const isFree = this.#closing === null && !this.#slots.contended;
      const isAnnounced = this.#taken.delete(place);
      this.#slots.release();
      if (!isFree) return 0;
      if (!isAnnounced) {
        // Withdrawn in all shards, as the render took long.
        const at = this.#used.indexOf(place);
        if (at === -1 || this.#free.size >= this.#slots.free) return 0;
        this.#used.splice(at, 1);
        this.#free.set(place, new Set());
        for (const other of this.#shards.keys()) if (other !== shard) void this.#announce([place], other);
      }
      return placeTtlMs;
    };
    try {
      await this.#work.run(render, release);
    } finally {
      release();
    }
  }

  /** A place that is missing twice in a row got lost: its request was not delivered, or it expired while this process was paused. */
  async #renew(): Promise<void> {
    if (!this.#redis.subscriber.connected) return;
    if (this.#shards.length < this.#count()) await this.open();
    await Promise.all(
      [...this.#shards.keys()].map(async (shard) => {
        const lost: string[] = [];
        const there: string[] = [];
        for (const [place, missing] of this.#free) if (!this.#taken.has(place)) (missing.delete(shard) ? lost : there).push(place);
        if (lost.length + there.length === 0) return;
        const args = [placeTtlMs, lost.length, ...lost, ...there];
        for (const place of await this.#redis.script('renderPlaces', [sharedKeys.renderPlaces(shard)], args)) this.#free.get(place)?.add(shard);
      }),
    );
  }

  // A failure of these is mended by the next renewals, or by the TTL of a place that is not renewed.
  async #announce(places: string[], shard: number): Promise<void> {
    if (places.length === 0) return;
    const args = [placeTtlMs, places.length, ...places];
    await this.#redis.script('renderPlaces', [sharedKeys.renderPlaces(shard)], args).catch(() => {});
  }

  async #withdraw(places: string[], shard: number): Promise<void> {
    if (places.length > 0) await this.#redis.commands.zrem(sharedKeys.renderPlaces(shard), ...places).catch(() => {});
  }
}

function jobOf(text: string | undefined): DirectRender['job'] | null {
  try {
    const job: unknown = JSON.parse(text ?? '');
    return isObject(job) && typeof job['account'] === 'string' && typeof job['hash'] === 'string' ? (job as unknown as DirectRender['job']) : null;
  } catch {
    return null;
  }
}
