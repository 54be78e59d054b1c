import { labelOption } from './label-options.js';
import { wholeNumber } from '../whole-number.js';
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
    .option('--limit <number>', 'maximum number of robots, ascending by id (default: all)', wholeNumber('--limit'));
}
