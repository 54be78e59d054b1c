import type { Row } from '../figures.js';
import type { Machine } from '../operating-system.js';
import type { Plan } from '../plan.js';

export interface Report {
  rows: Row[];
  machine: Machine;
  rounds: number;
  plan: Plan;
  wrong: number;
  failures: readonly string[];
  at: string;
}
