import type { Store } from '../../src/index.js';
import type { FormatName } from '../../src/redis/formats.js';

/** Ids and secrets by which the data of a run is found. */
export type Facts = Record<string, string>;

export interface Step {
  noun: string;
  formats: readonly FormatName[];
  /** Keys of the step in Redis; `<name>` stands for a fact. */
  keys: RegExp;
  write(store: Store, facts: Facts): Promise<void>;
  /** Reads the written data with the code of the release; returns JSON. */
  read(store: Store, facts: Facts): Promise<unknown>;
  /** Whether the data expires, so that its times are moved to now before it is read. */
  expires?: true;
}
