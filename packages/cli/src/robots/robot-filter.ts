import { labelOption } from './label-options.js';
import { Refused } from '../refused.js';
import type { Command } from 'commander';

export interface RobotFilterOptions {
  online?: boolean;
  firmware?: string;
  label?: string[];
  limit?: number;
}

export function withRobotFilter(command: Command): Command {
  return command
    .option('--online', 'only robots that are online')
    .option('--no-online', 'only robots that are offline')
    .option('--firmware <text>', 'only robots with exactly this firmware')
    .option('--label <key=value>', 'only robots with this label; if given more than once, only robots with all of them', labelOption)
    .option('--limit <number>', 'maximum number of robots, ascending by id (default: all)', wholeNumber);
}

function wholeNumber(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new Refused('--limit must be a whole number, 1 or more', 'usage');
  return limit;
}
