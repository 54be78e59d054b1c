/**
 * Writes whose reply is a promise ("created", "revoked", "removed") are on disk, and a replica has them if there is one, before the caller gets it.
 *
 * WAITAOF covers its own connection's writes and all that the node executed before. So a dedicated connection writes a mark to the node of each key
 * once the work is done, and waits for the mark: up to a second with `appendfsync everysec`, shared by concurrent callers; one that arrives during a
 * wait needs the next. It writes a mark before the work, too, so that nothing is begun that cannot be confirmed: a connection that a NAT gateway has
 * forgotten is replaced first. If the connection broke between work and mark, the outcome is unknown (UncertainWrite), unless the work can be undone.
 * A server without WAITAOF or append-only file offers nothing to wait for, which `redis-capabilities.ts` reports.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Lazy, withinMs } from '@perch/runtime/plain';
import { Cluster, type Redis } from 'ioredis';
import { asStoreError, inDoubt, StoreError, TakenBack, UncertainWrite } from './errors.js';
import { sharedKeys } from './keys.js';
import { masterOf, mastersOf, nodeOf, pingRegularly } from './cluster-nodes.js';
import { isNoMaster } from './refused.js';
import { redisScripts } from './scripts.js';
import { capabilityWarnings } from './redis-capabilities.js';

/** Maximum wait for the disk, and then for a replica; a little less than the connection's command timeout. */
const waitMs = 3000;
export const durableCommandTimeoutMs = 4000;

const markTtlMs = 1000;
/** A connection that does not reply for so long is replaced before the work begins. */
const silentMs = 1000;
const probeEveryMs = 50;
const probeForMs = 2500;

interface Waiting {
  tags: readonly string[];
  done: () => void;
  failed: (error: unknown) => void;
}

export class Durable {
  readonly #connection: Lazy<Redis | Cluster>;
  readonly #onWarning: (error: Error) => void;
  readonly #cannotConfirm: () => boolean;
  /** Each disconnect may hide a restart of Redis. By node; '' unless it is a Cluster. */
  readonly #disconnects = new Map<string, number>();
  #cannotWaitForDisk = false;
  readonly #warned = new Set<string>();
  #waiting: Waiting[] = [];
  #settling = false;
  #pings: NodeJS.Timeout | undefined;

  /**
   * @param onWarning called once for each guarantee that this Redis is found not to give
   * @param cannotConfirm whether Redis is known not to tell when a write is on disk
   */
  constructor(open: () => Promise<Redis | Cluster>, onWarning: (error: Error) => void, cannotConfirm = (): boolean => false) {
    this.#cannotConfirm = cannotConfirm;
    this.#connection = new Lazy(() => this.#connect(open));
    this.#onWarning = onWarning;
  }

  /**
   * @param undo takes back what the last write of `work` made, and fails if it cannot; then nothing is left of work that failed or was not confirmed, and
   * the error is no UncertainWrite. `work` throws one from its last write on, if it may have been executed and will not be any more (`in-time.ts`).
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>, undo?: () => Promise<unknown>): Promise<T> {
    const tags = [...new Set(keys.map(tagOf))];
    if (tags.length > 0) await this.#probe(tags);
    if (undo === undefined) return inDoubt(() => this.#run(tags, work));
    try {
      return await this.#run(tags, work);
    } catch (error) {
      const isUndone = await undo().then(
        () => true,
        () => false,
      );
      if (!isUndone || !(error instanceof UncertainWrite)) throw asStoreError(error);
      throw new TakenBack(error);
    }
  }

  async #run<T>(tags: readonly string[], work: () => Promise<T>): Promise<T> {
    if (tags.length === 0) return work();
    const before = await this.#disconnectsOf(tags);
    const result = await work();
    await inDoubt(
      () =>
        new Promise<void>((done, failed) => {
          this.#waiting.push({ tags, done, failed });
          void this.#settle();
        }),
    );
    if ((await this.#disconnectsOf(tags)) !== before) throw uncertain();
    return result;
  }

  get waits(): boolean {
    return !this.#cannotWaitForDisk && !this.#cannotConfirm();
  }

  async close(): Promise<void> {
    const connection = await this.#connection.ifOpen();
    clearInterval(this.#pings);
    connection?.disconnect();
  }

  /** Resolves once the connection has written a mark to each node. Replaces a connection that is silent, or leads to a replica by now. */
  async #probe(tags: readonly string[]): Promise<void> {
    const connection = await this.#connection.get();
    const giveUpAt = performance.now() + probeForMs;
    for (let failure: Error | null = null; ; await sleep(probeEveryMs)) {
      // Behind a wait in flight a mark is not answered. That wait finds a dead connection.
      if (!this.#settling) failure = await this.#markFailure(connection, tags);
      if (failure === null) return;
      // Without a cause: nothing was begun.
      if (performance.now() > giveUpAt) throw new StoreError('unavailable', `Redis: ${failure.message}`);
    }
  }

  /** Returns null once Redis has the marks, and an error if another connection may take them. */
  async #markFailure(connection: Redis | Cluster, tags: readonly string[]): Promise<Error | null> {
    try {
      await Promise.all(markedTags(connection, tags).map((tag) => this.#markInTime(connection, tag)));
      return null;
    } catch (error) {
      if (!(error instanceof Error) || (isReply(error) && !isNoMaster(error))) throw asStoreError(error);
      return error;
    }
  }

  async #markInTime(connection: Redis | Cluster, tag: string): Promise<void> {
    try {
      await withinMs(mark(connection, tag), silentMs, () => {
        throw silent;
      });
    } catch (error) {
      // It reconnects. A replica is left by all connections together (`reconnection.ts`).
      if (error === silent) nodeOf(connection, sharedKeys.synced(tag))?.stream?.destroy();
      throw error;
    }
  }

  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#confirm(await this.#connection.get(), batch);
      } catch (error) {
        for (const { failed } of batch) failed(asStoreError(error));
      }
    }
    this.#settling = false;
  }

  /** A lost master of a Cluster fails only those that wait for it. */
  async #confirm(connection: Redis | Cluster, batch: readonly Waiting[]): Promise<void> {
    const tags = markedTags(connection, [...new Set(batch.flatMap((each) => each.tags))]);
    const marks = new Map(tags.map((tag) => [tag, mark(connection, tag)]));
    const marked = await Promise.allSettled(marks.values());
    if (marked.every(({ status }) => status === 'rejected')) await marks.values().next().value;
    // WAITAOF replies at once on a node that received no mark; while slots move a mark may be on another node than the client knows.
    const own = new Set(tags.filter((_, i) => marked[i]!.status === 'fulfilled').map((tag) => nodeOf(connection, sharedKeys.synced(tag))));
    const nodes = mastersOf(connection).filter((node) => own.has(node) || node.status === 'ready');
    const waits = Promise.all(nodes.map((node) => this.#untilKept(node, own.has(node))));
    await Promise.all(
      batch.map((each) =>
        Promise.all([waits, ...each.tags.map((tag) => marks.get(tag))]).then(each.done, (error: unknown) => each.failed(asStoreError(error))),
      ),
    );
  }

  async #untilKept(node: Redis, hasMark: boolean): Promise<void> {
    if (this.waits) await this.#untilOnDisk(node);
    if (!hasMark) return;
    // A master without a connected replica cannot be replaced by one that lacks the write. A replica may leave while it is waited for.
    if ((await this.#hasReplica(node)) && !(await this.#isReplicated(node)) && (await this.#hasReplica(node))) throw notReplicated();
  }

  async #untilOnDisk(node: Redis): Promise<void> {
    try {
      const [local] = (await node.call('WAITAOF', '1', '0', String(waitMs))) as [number, number];
      if (local < 1) throw uncertain();
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#cannotWaitForDisk = true;
      if (noPermission.test(error.message)) this.#warn(capabilityWarnings.mayNotWait(error.message));
      else if (noAppendOnly.test(error.message)) this.#warn(capabilityWarnings.noAppendOnly);
      else this.#warn(capabilityWarnings.cannotWait(error.message));
    }
  }

  /** Returns false also if the server does not tell. */
  async #hasReplica(node: Redis): Promise<boolean> {
    const replication = await node.info('replication').catch((error: unknown) => {
      if (isRefused(error)) return '';
      throw error;
    });
    if (/^slave\d+:.*\bstate=online\b/m.test(replication)) return true;
    const isExpected = node.options.sentinels || (await this.#connection.get()) instanceof Cluster;
    if (isExpected && /^role:master/m.test(replication)) this.#warn(capabilityWarnings.noReplica);
    return false;
  }

  async #isReplicated(node: Redis): Promise<boolean> {
    try {
      return (await node.wait(1, waitMs)) > 0;
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#warn(capabilityWarnings.cannotWaitForReplica(error.message));
      return true;
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
    const watch = (node: Redis): void => {
      const address = connection instanceof Cluster ? `${node.options.host}:${node.options.port}` : '';
      node.on('close', () => {
        this.#disconnects.set(address, (this.#disconnects.get(address) ?? 0) + 1);
        // The next server may be a newer one, or have other users.
        this.#cannotWaitForDisk = false;
      });
    };
    if (connection instanceof Cluster) {
      for (const node of connection.nodes('all')) watch(node);
      connection.on('+node', watch);
    } else watch(connection);
    this.#pings = pingRegularly(connection);
    return connection;
  }

  async #disconnectsOf(tags: readonly string[]): Promise<string> {
    const connection = await this.#connection.get();
    const addresses = tags.map((tag) => (connection instanceof Cluster ? (masterOf(connection, sharedKeys.synced(tag)) ?? '') : ''));
    return addresses.map((address) => `${address} ${this.#disconnects.get(address) ?? 0}`).join();
  }
}

/** Servers that are too old, keep no append-only file, are not Redis, or have a user who may not do it. */
const cannotWait = /unknown command|appendonly is disabled|not (?:implemented|supported)|\bNOPERM\b/i;
const noAppendOnly = /appendonly is disabled/i;
const noPermission = /\bNOPERM\b/;

const silent = new Error('no reply to a mark');

function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

function isRefused(error: unknown): error is Error {
  return isReply(error) && cannotWait.test(error.message);
}

/** Without a Cluster one mark follows the writes of all tags. */
function markedTags(connection: Redis | Cluster, tags: readonly string[]): readonly string[] {
  return connection instanceof Cluster ? tags : tags.slice(0, 1);
}

/** Writes a mark, also to a Redis at its memory limit. */
function mark(connection: Redis | Cluster, tag: string): Promise<unknown> {
  return connection.eval(redisScripts.diskMark.lua, 1, sharedKeys.synced(tag), markTtlMs);
}

function uncertain(): UncertainWrite {
  return new UncertainWrite('Redis did not confirm in time that the change is on disk; it may or may not have been made.');
}

function notReplicated(): UncertainWrite {
  return new UncertainWrite('No replica of Redis confirmed the change in time; it may be lost if the master fails now.');
}

function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}
