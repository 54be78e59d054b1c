import type { EventName } from '@perch/client';
import type { Command, OptionValues } from 'commander';
import { robotCommand, robotOf } from './action-commands.js';
import { actions } from './actions.generated.js';
import { eventText } from './answer-text.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../option-values.js';

const names = actions.find(({ name }) => name === 'events')!.args.properties['names']!.items!.enum!;

export function watchCommand(session: Session): Command {
  return robotCommand('watch', 'Follow what people do at the robot, one line per event, until interrupted.')
    .option('--names <names>', `only these events, separated by commas: ${names.join(', ')}`)
    .option('--after <number>', 'start after this event; 0: with the last ones kept (default: only new events)', wholeNumber('--after', 0))
    .option('--count <number>', 'stop after this many events', wholeNumber('--count'))
    .option('--json', 'prints each event as JSON')
    .action(async ({ json, names, after, count, ...options }: OptionValues & { names?: string; after?: number; count?: number }) => {
      const robot = await robotOf(session, options);
      let left = count ?? Infinity;
      const wanted = names === undefined ? {} : { names: names.split(',').map((name) => name.trim()) as EventName[] };
      for await (const event of robot.events({ ...wanted, after: after ?? 'now' })) {
        session.print(json === true, event, eventText);
        if (event.name !== 'gap' && --left === 0) return;
      }
    });
}
