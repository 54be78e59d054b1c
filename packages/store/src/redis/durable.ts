/**
 * Writes whose reply is a promise ("created", "revoked", "removed") are on disk before the caller gets it.
 *
 * WAITAOF covers its own connection's writes and all that the node executed before. So a dedicated connection writes a mark to the node of each key
 * once the work is done, and waits for the mark: up to a second with `appendfsync everysec`, shared by concurrent callers; one that arrives during a
 * wait needs the next. If the connection broke between work and mark, the outcome is unknown (UncertainWrite). Behind Sentinels a replica must also
 * have the mark. A server without WAITAOF or append-only file offers nothing to wait for, which `redis-capabilities.ts` reports.
 */
import { Lazy } from '@perch/runtime/plain';
import { Cluster, type Redis } from 'ioredis';
import { asStoreError, inDoubt, UncertainWrite } from '../errors.js';
import { sharedKeys } from '../keys.js';
import { redisScripts } from './scripts.js';
import { capabilityWarnings } from './redis-capabilities.js';

/** Maximum wait for the disk; a little less than the connection's command timeout. */
const waitMs = 3000;
export const durableCommandTimeoutMs = 4000;

const markTtlMs = 1000;

interface Waiting {
  keys: readonly string[];
  done: () => void;
  failed: (error: unknown) => void;
}

export class Durable {
  readonly #connection: Lazy<Redis | Cluster>;
  readonly #onWarning: (error: Error) => void;
  readonly #replicas: number;
  readonly #cannotConfirm: () => boolean;
  /** Each disconnect may hide a restart of Redis. */
  #disconnects = 0;
  #cannotWaitForDisk = false;
  readonly #warned = new Set<string>();
  #waiting: Waiting[] = [];
  #settling = false;

  /**
   * @param onWarning called once for each guarantee that this Redis is found not to give
   * @param replicas that must have a write before it is durable
   * @param cannotConfirm whether Redis is known not to tell when a write is on disk
   */
  constructor(open: () => Promise<Redis | Cluster>, onWarning: (error: Error) => void, replicas = 0, cannotConfirm = (): boolean => false) {
    this.#connection = new Lazy(() => this.#connect(open));
    this.#onWarning = onWarning;
    this.#replicas = replicas;
    this.#cannotConfirm = cannotConfirm;
  }

  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const waits = this.#hasToWait && keys.length > 0;
    if (waits) await this.#connection.get();
    return inDoubt(() => (waits ? this.#run(keys, work) : work()));
  }

  async #run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = this.#disconnects;
    const result = await work();
    await new Promise<void>((done, failed) => {
      this.#waiting.push({ keys, done, failed });
      void this.#settle();
    });
    if (this.#disconnects !== before) throw uncertain();
    return result;
  }

  get waits(): boolean {
    return !this.#cannotWaitForDisk && !this.#cannotConfirm();
  }

  get #hasToWait(): boolean {
    return this.waits || this.#replicas > 0;
  }

  async close(): Promise<void> {
    const connection = await this.#connection.ifOpen();
    connection?.disconnect();
  }

  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#hasToWait) await this.#sync(await this.#connection.get(), new Set(batch.flatMap(({ keys }) => keys.map(tagOf))));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#settling = false;
  }

  async #sync(connection: Redis | Cluster, tags: ReadonlySet<string>): Promise<void> {
    try {
      // Without a Cluster one mark follows the writes of all tags.
      const marked = connection instanceof Cluster ? [...tags] : [...tags].slice(0, 1);
      await Promise.all(marked.map((tag) => mark(connection, sharedKeys.synced(tag))));
    } catch (error) {
      throw asStoreError(error);
    }
    // WAITAOF replies at once on a node that received no mark.
    if (this.waits) await this.#untilOnDisk(mastersOf(connection));
    if (this.#replicas > 0) await this.#untilReplicated(mastersOf(connection));
  }

  async #untilOnDisk(nodes: Redis[]): Promise<void> {
    try {
      const counts = (await Promise.all(nodes.map((node) => node.call('WAITAOF', '1', '0', String(waitMs))))) as [number, number][];
      if (counts.some(([local]) => local < 1)) throw uncertain();
    } catch (error) {
      if (!(error instanceof Error) || !cannotWait.test(error.message)) throw asStoreError(error);
      this.#cannotWaitForDisk = true;
      if (noAppendOnly.test(error.message)) this.#warn(capabilityWarnings.noAppendOnly);
      if (!this.#warned.has(capabilityWarnings.noAppendOnly)) this.#warn(capabilityWarnings.cannotWait(error.message));
    }
  }

  /** A master without a connected replica cannot be replaced by one that lacks the write, so it is not waited for. */
  async #untilReplicated(nodes: Redis[]): Promise<void> {
    try {
      for (const count of await Promise.all(nodes.map((node) => node.wait(this.#replicas, waitMs)))) {
        if (count >= this.#replicas) continue;
        const connected = await Promise.all(nodes.map(async (node) => /^connected_slaves:(\d+)/m.exec(await node.info('replication'))?.[1]));
        if (connected.some((slaves) => slaves !== '0')) throw notReplicated();
        this.#warn(capabilityWarnings.noReplica);
      }
    } catch (error) {
      // Also when the master became a replica meanwhile.
      throw error instanceof UncertainWrite ? error : uncertain();
    }
  }

  #warn(warning: string): void {
    if (this.#warned.has(warning)) return;
    this.#warned.add(warning);
    this.#onWarning(new Error(warning));
  }

  async #connect(open: () => Promise<Redis | Cluster>): Promise<Redis | Cluster> {
    const connection = await open().catch((error: unknown) => {
      throw asStoreError(error);
    });
    const watch = (node: Redis): void => void node.on('close', () => this.#disconnects++);
    if (connection instanceof Cluster) {
      for (const node of connection.nodes('all')) watch(node);
      connection.on('+node', watch);
    } else watch(connection);
    return connection;
  }
}

/** Servers that are too old, keep no append-only file, or are not Redis. */
const cannotWait = /unknown command|appendonly is disabled|not (?:implemented|supported)/i;
const noAppendOnly = /appendonly is disabled/i;

/** Writes a mark, also to a Redis at its memory limit. */
function mark(connection: Redis | Cluster, key: string): Promise<unknown> {
  return connection.eval(redisScripts.diskMark.lua, 1, key, markTtlMs);
}

function mastersOf(connection: Redis | Cluster): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

function uncertain(): UncertainWrite {
  return new UncertainWrite('Redis did not confirm in time that the change is on disk; it may or may not have been made.');
}

function notReplicated(): UncertainWrite {
  return new UncertainWrite('No replica of Redis confirmed the change in time; it was made, and may be lost if the master fails now.');
}

function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}
