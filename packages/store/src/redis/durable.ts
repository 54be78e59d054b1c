/**
 * Writes whose answer is a promise ("created", "revoked", "removed") and must outlive Redis' process: they are on disk before they are answered.
 *
 * WAITAOF speaks of the writes of its own connection, and of all that the node did before them. So a connection that is used for nothing else
 * writes a mark to the node of each key once the work is done, and waits until that is on disk. Many who wait at once share one waiting, which
 * takes up to a second with `appendfsync everysec`, twice that for who comes while others wait. Where the connection broke between the work and
 * the mark, another process may stand there that never saw the work: that is an error, its fate unknown.
 * Behind Sentinels a replica must have received the mark, too: it may be promoted at any moment, without the master's disk.
 * Where the server knows no WAITAOF (before 7.2) or has no append-only file, nothing can be waited for. What is less than promised is said once.
 */
import { Cluster, type Redis } from 'ioredis';
import { asStoreError, inDoubt, UncertainWrite } from '../errors.js';
import { sharedKeys } from '../keys.js';
import { redisScripts } from './scripts.js';
import { sentences, shortcomingsOf } from './redis-capabilities.js';

/** For the disk, ms. A little less than what the connection gives a command. */
const waitMs = 3000;
export const durableCommandTimeoutMs = 4000;

const markTtlMs = 1000;

interface Waiting {
  keys: readonly string[];
  done: () => void;
  failed: (error: unknown) => void;
}

export class Durable {
  readonly #open: () => Promise<Redis | Cluster>;
  readonly #onShort: (error: Error) => void;
  /** How many replicas must have a write before it counts as kept. */
  readonly #replicas: number;
  #line: Promise<Redis | Cluster> | null = null;
  /** Counts what would hide a restart of Redis: each time that a connection ended. */
  #breaks = 0;
  #cannot = false;
  readonly #said = new Set<string>();
  #waiting: Waiting[] = [];
  #busy = false;

  /**
   * @param open makes a connection that is ready and used by nobody else
   * @param onShort called once for each thing that is less than promised
   * @param replicas how many replicas must have a write; for a master that a replica may replace at any moment
   */
  constructor(open: () => Promise<Redis | Cluster>, onShort: (error: Error) => void, replicas = 0) {
    this.#open = open;
    this.#onShort = onShort;
    this.#replicas = replicas;
  }

  /**
   * Does the work and resolves when it is on disk.
   * @param keys one of each tag that the work writes to
   * @throws {UncertainWrite} when that is not certain; the work is done then, or may be @throws {StoreError} unavailable, when it was not begun
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const waits = this.#hasToWait && keys.length > 0;
    if (waits) await this.#connected();
    return inDoubt(() => (waits ? this.#run(keys, work) : work()));
  }

  async #run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = this.#breaks;
    const result = await work();
    await new Promise<void>((done, failed) => {
      this.#waiting.push({ keys, done, failed });
      void this.#settle();
    });
    if (this.#breaks !== before) throw uncertain();
    return result;
  }

  /** Whether what `run` did is surely on disk when it resolves: the server knows WAITAOF and keeps an append-only file. */
  get waits(): boolean {
    return !this.#cannot;
  }

  get #hasToWait(): boolean {
    return !this.#cannot || this.#replicas > 0;
  }

  async close(): Promise<void> {
    const line = await this.#line?.catch(() => null);
    line?.disconnect();
  }

  async #settle(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#hasToWait) await this.#sync(await this.#connected(), new Set(some.flatMap(({ keys }) => keys.map(tagOf))));
        for (const { done } of some) done();
      } catch (error) {
        for (const { failed } of some) failed(error);
      }
    }
    this.#busy = false;
  }

  async #sync(line: Redis | Cluster, tags: ReadonlySet<string>): Promise<void> {
    try {
      // All tags of a server that is no Cluster lie on it: one mark comes after the writes of all.
      const marked = line instanceof Cluster ? [...tags] : [...tags].slice(0, 1);
      await Promise.all(marked.map((tag) => mark(line, sharedKeys.synced(tag))));
    } catch (error) {
      throw asStoreError(error);
    }
    // A node that got no mark has nothing to wait for.
    if (!this.#cannot) await this.#untilOnDisk(mastersOf(line));
    if (this.#replicas > 0) await this.#untilReplicated(mastersOf(line));
  }

  async #untilOnDisk(nodes: Redis[]): Promise<void> {
    try {
      const counts = (await Promise.all(nodes.map((node) => node.call('WAITAOF', '1', '0', String(waitMs))))) as [number, number][];
      if (counts.some(([local]) => local < 1)) throw uncertain();
    } catch (error) {
      if (!(error instanceof Error) || !cannotWait.test(error.message)) throw asStoreError(error);
      this.#cannot = true;
      if (noAppendOnly.test(error.message)) this.#say(sentences.noAppendOnly);
      if (!this.#said.has(sentences.noAppendOnly)) this.#say(sentences.cannotWait(error.message));
    }
  }

  /** A master without a replica has nothing that could take its place without the write: it is not waited for. */
  async #untilReplicated(nodes: Redis[]): Promise<void> {
    try {
      for (const count of await Promise.all(nodes.map((node) => node.wait(this.#replicas, waitMs)))) {
        if (count >= this.#replicas) continue;
        const connected = await Promise.all(nodes.map(async (node) => /^connected_slaves:(\d+)/m.exec(await node.info('replication'))?.[1]));
        if (connected.some((slaves) => slaves !== '0')) throw notReplicated();
        this.#say(sentences.noReplica);
      }
    } catch (error) {
      // Also a master that became a replica meanwhile.
      throw error instanceof UncertainWrite ? error : uncertain();
    }
  }

  async #lookAt(line: Redis | Cluster): Promise<void> {
    for (const { appendOnly, evicts } of await Promise.all(mastersOf(line).map((node) => shortcomingsOf(node)))) {
      if (appendOnly === false) this.#say(sentences.noAppendOnly);
      if (evicts !== null) this.#say(sentences.evicts(evicts));
    }
  }

  #say(sentence: string): void {
    if (this.#said.has(sentence)) return;
    this.#said.add(sentence);
    this.#onShort(new Error(sentence));
  }

  #connected(): Promise<Redis | Cluster> {
    this.#line ??= this.#open().then(
      async (line) => {
        const watch = (node: Redis): void => void node.on('close', () => this.#breaks++);
        if (line instanceof Cluster) {
          for (const node of line.nodes('all')) watch(node);
          line.on('+node', watch);
        } else watch(line);
        await this.#lookAt(line);
        return line;
      },
      (error: unknown) => {
        this.#line = null;
        throw asStoreError(error);
      },
    );
    return this.#line;
  }
}

/** What servers say that are too old, that keep no append-only file, or that are no Redis. */
const cannotWait = /unknown command|appendonly is disabled|not (?:implemented|supported)/i;
const noAppendOnly = /appendonly is disabled/i;

/** Writes a mark, also to a Redis at its memory limit. */
function mark(line: Redis | Cluster, key: string): Promise<unknown> {
  return line.eval(redisScripts['diskMark']!.lua, 1, key, markTtlMs);
}

function mastersOf(line: Redis | Cluster): Redis[] {
  return line instanceof Cluster ? line.nodes('master') : [line];
}

function uncertain(): UncertainWrite {
  return new UncertainWrite('Redis did not say in time that it is on disk; it may be done or not.');
}

function notReplicated(): UncertainWrite {
  return new UncertainWrite('No replica of Redis confirmed it in time; it is done, and may be lost if the master fails now.');
}

function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}
