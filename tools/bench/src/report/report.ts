/** What a run found, as `--json` writes it. */
import type { Row } from '../figures.js';
import type { Machine } from '../operating-system.js';
import type { Plan } from '../plan.js';

export interface Report {
  rows: Row[];
  machine: Machine;
  /** Rounds of every row that is measured in turns. */
  rounds: number;
  plan: Plan;
  /** Answers that were not as they must be, and commands that robots did too often or not at all. */
  wrong: number;
  /** Groups of rows that broke off, with what they said. */
  failures: readonly string[];
  /** ISO 8601. */
  at: string;
}
