/** The report of a run, as written by `--json`. */
import type { Row } from '../figures.js';
import type { Machine } from '../operating-system.js';
import type { Plan } from '../plan.js';

export interface Report {
  rows: Row[];
  machine: Machine;
  rounds: number;
  plan: Plan;
  /** Wrong answers, and commands that robots executed too often or not at all. */
  wrong: number;
  /** Failed groups of rows, with their errors. */
  failures: readonly string[];
  at: string;
}
