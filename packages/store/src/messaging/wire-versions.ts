/**
 * An instance announces the versions that it reads, with a heartbeat's lifetime, before it receives. A sender reads that once for each receiver, then
 * writes the newest version that the receiver reads; until then the oldest that it writes, which every release that it runs beside reads.
 */
import { release } from '@perch/schema';
import { LRUCache } from 'lru-cache';
import { guarded } from '../redis/errors.js';
import { beatGoneMs, type Instances } from '../instances/instances.js';
import { instanceKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { UnreadableMessage } from './unreadable-message.js';

/**
 * The versions that this release reads. 1: a JSON array of messages, which 0.10.0 and 0.10.1 write until they know what a receiver reads. 2: an object
 * with its version and that array. A version goes when this release runs beside none that writes it.
 */
export const wireVersions = [1, 2] as const;
/** The newest version that this release writes. */
export const wireVersionWritten = 2;
/** The versions that this release writes, the oldest first. */
const writtenVersions: readonly number[] = [wireVersionWritten];

const receiversMax = 10_000;
/** How long a receiver without a readable announcement gets the oldest version. Avoids a lookup for each message. */
const silentForMs = 30_000;

export interface Announcement {
  /** '' if there is none, or it cannot be read. */
  release: string;
  wire: readonly number[];
}

const silent: Announcement = { release: '', wire: [] };

export class WireVersions {
  readonly #connections: Connections;
  readonly #instances: Instances;
  readonly #onError: (error: Error) => void;
  readonly #written: readonly number[];
  readonly #oldest: number;
  readonly #known = new LRUCache<string, number>({ max: receiversMax });
  readonly #lookups = new Set<string>();
  #announced = false;

  /** @param written changed by tests only */
  constructor(connections: Connections, instances: Instances, onError: (error: Error) => void, written = writtenVersions) {
    this.#connections = connections;
    this.#instances = instances;
    this.#onError = onError;
    this.#written = written;
    this.#oldest = written[0]!;
  }

  /** Announces the versions now and with every heartbeat. Await it before the instance subscribes to its mailbox. */
  async announce(instance: string): Promise<void> {
    if (this.#announced) return;
    const write = async (): Promise<void> => {
      const announcement = JSON.stringify({ release, wire: wireVersions } satisfies Announcement);
      await this.#connections.script('instanceBeat', [instanceKeys.reads(instance)], [announcement, beatGoneMs]);
    };
    await write();
    this.#announced = true;
    this.#instances.withBeat(write);
  }

  async read(instance: string): Promise<Announcement> {
    const text = await guarded(() => this.#connections.commands.get(instanceKeys.reads(instance)));
    if (text === null) return silent;
    const announcement = parsed(text);
    if (announcement !== null) return announcement;
    this.#onError(new Error(`The announcement of ${instance} cannot be read; it gets messages of version ${this.#oldest}.`));
    return silent;
  }

  /** Never waits: an unknown version is looked up for the messages that follow. */
  versionFor(receiver: string): number {
    const known = this.#known.get(receiver);
    if (known !== undefined) return known;
    if (!this.#lookups.has(receiver)) void this.#lookUp(receiver);
    return this.#oldest;
  }

  /** Call it when nothing received the last batch. */
  forget(receiver: string): void {
    this.#known.delete(receiver);
  }

  async #lookUp(receiver: string): Promise<void> {
    this.#lookups.add(receiver);
    try {
      const { release: announced, wire } = await this.read(receiver);
      const common = this.#written.filter((version) => wire.includes(version)).at(-1) ?? this.#oldest;
      this.#known.set(receiver, common, announced === '' ? { ttl: silentForMs } : {});
    } catch (error) {
      // The next message retries.
      this.#onError(error as Error);
    } finally {
      this.#lookups.delete(receiver);
    }
  }
}

export function writeBatch(version: number, packed: readonly unknown[]): string {
  const { before, after } = batchBrackets(version);
  return before + JSON.stringify(packed).slice(1, -1) + after;
}

/** Returns what stands around the messages of a batch, which have commas between them. */
export function batchBrackets(version: number): { before: string; after: string } {
  return { before: `{"v":${version},"m":[`, after: ']}' };
}

/** Never throws. */
export function readBatch(text: string, receiver: string): { packed: readonly unknown[] } | { unreadable: UnreadableMessage[] } {
  const batch = jsonOf(text);
  if (Array.isArray(batch)) return { packed: batch };
  const { v, m } = typeof batch === 'object' && batch !== null ? (batch as { v?: unknown; m?: unknown }) : {};
  if (typeof v !== 'number' || !Array.isArray(m)) return { unreadable: [new UnreadableMessage(null, receiver, 'batch')] };
  if ((wireVersions as readonly number[]).includes(v)) return { packed: m };
  return { unreadable: m.map((packed) => new UnreadableMessage(packed, receiver, 'version')) };
}

function parsed(text: string): Announcement | null {
  const { release: announced, wire } = (jsonOf(text) ?? {}) as { release?: unknown; wire?: unknown };
  if (typeof announced !== 'string' || announced === '' || !Array.isArray(wire) || !wire.every((version) => Number.isInteger(version))) return null;
  return { release: announced, wire: wire as number[] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
