/**
 * The oldest data version whose releases read everything stored; absent: 1. A release that writes a new form, one after the first
 * that reads it, raises it at its start: the previous release can run beside it and be rolled back to; older ones refuse to start.
 */
import { release, StartRefused } from '@perch/schema';
import { guarded } from './errors.js';
import { sharedKeys } from './keys.js';
import type { Connections } from './connections.js';

export interface DataVersions {
  release: string;
  reads: number;
  /** Needed to read what this release writes. At most `reads` of the previous release. */
  writes: number;
}

/** formats.ts and test/golden document the forms. */
export const dataVersions: DataVersions = { release, reads: 1, writes: 1 };

/** Raises the version if needed. @throws {StartRefused} when the data is newer, or its version unreadable */
export async function requireReadableData(connections: Connections, ours: DataVersions = dataVersions): Promise<void> {
  const key = sharedKeys.dataVersion();
  const text = await guarded(() => connections.commands.get(key));
  const [, version = '1', by = ''] = text === null ? [] : (/^([1-9]\d{0,8}) (\S{1,40})$/.exec(text) ?? ['', '0']);
  const stored = Number(version);
  if (stored === 0) {
    throw new StartRefused(
      `The data version in Redis (${key}) is ${JSON.stringify(text!.slice(0, 60))}, which this release, ${ours.release}, cannot read. ` +
        'Start the release that wrote it, or restore a backup.',
    );
  }
  if (stored > ours.reads) {
    throw new StartRefused(
      `The data in Redis is of data version ${stored}, which release ${by} introduced; this release, ${ours.release}, reads up to data version ${ours.reads}. ` +
        `Start release ${by} or a later one, or restore a backup from before ${by} was started.`,
    );
  }
  if (stored < ours.writes) await connections.script('dataVersionRaise', [key], [ours.writes, ours.release]);
}
