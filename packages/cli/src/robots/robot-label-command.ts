import { labelsText, limits } from '@perch/schema/plain';
import { Command } from 'commander';
import { labelChange } from './label-options.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

const { labelsMax, labelKeyCharsMax, labelValueCharsMax } = limits.robots;

export function robotLabelCommand(session: Session): Command {
  return new Command('label')
    .description('sets and removes labels of a robot, for filtering lists with --label; without changes, prints its labels')
    .argument('<robot>', 'id of the robot')
    .argument('[changes...]', 'key=value to set a label, key- to remove it')
    .option('--json', 'prints {"robot", "labels"}')
    .addHelpText(
      'after',
      `\nAt most ${labelsMax} labels. A key is 1 to ${labelKeyCharsMax} of a to z, 0 to 9, _ and -; a value has at most ${labelValueCharsMax} characters and no semicolon.` +
        '\n\nExamples:\n  $ perch robot label r-7k2m9qx4tb room=r7 floor=2\n  $ perch robot label r-7k2m9qx4tb floor-',
    )
    .action(async (robot: string, changes: string[], { json }: { json?: boolean }) => {
      const change = labelChange(changes);
      const labels = await session.withStore(async (store) => {
        const record = await store.robots.get(robot);
        if (record === null) throw new Refused(`there is no robot ${robot}`);
        if (changes.length === 0) return store.robotLabels.of(record.account, robot);
        const now = await store.robotLabels.change(record.account, robot, change);
        if (now === 'unknown') throw new Refused(`there is no robot ${robot}`);
        if (now === 'too_many') throw new Refused(`a robot has at most ${labelsMax} labels: remove some first`);
        return now;
      });
      session.print(json, { robot, labels }, (answer) => `${robot} ${labelsText(answer.labels) || 'has no labels'}`);
    });
}
