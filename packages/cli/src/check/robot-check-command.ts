/** `perch robot check ROBOT`: tries what the robot on the desk can do, and writes a report that its owner can send. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command, OptionValues } from 'commander';
import { perchAt, serviceCommand, settingsFrom } from '../actions/action-commands.js';
import { printableText } from '../output/printable.js';
import { table } from '../output/table.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';
import { checkPage, outcomeTexts } from './check-page.js';
import { checkRobot } from './robot-check.js';

const more = `
Takes about five minutes at the robot, with an NFC tag and a remote control at hand. The robot asks on its own screen: tap the answers there. What it says
it does not offer is skipped, a sense that reports nothing in time counts as not seen, and a tap skips a check for which something is missing. The report names the robot, its firmware and readings, and no Wi-Fi.

Example:
  $ perch robot check r-0123456789 --out check`;

export function robotCheckCommand(session: Session): Command {
  return serviceCommand('check', 'tries what a robot on the desk can do, over HTTP, and writes a report that can be sent')
    .argument('<robot>', 'id of the robot')
    .option('--out <path>', 'writes <path>.json and <path>.html (default: robot-check)')
    .option('--answer-s <number>', 'seconds for each answer, 1 to 120 (default: 30)', wholeNumber('--answer-s'))
    .option('--led-ms <number>', 'milliseconds for which each LED lights (default: 300)', wholeNumber('--led-ms'))
    .option('--json', 'prints the report, too')
    .addHelpText('after', more)
    .action(async (id: string, options: OptionValues) => {
      const { out = 'robot-check', answerS = 30, ledMs = 300, json } = options as { out?: string; answerS?: number; ledMs?: number; json?: boolean };
      if (answerS > 120) throw new Refused('--answer-s is a number from 1 to 120', 'usage');
      const robot = perchAt(await settingsFrom(session, { ...options, robot: id })).robot(id);
      const report = await checkRobot(robot, {
        answerS,
        ledMs,
        onCheck: (check, result) => session.warn(result === undefined ? `${check} …` : `${check}: ${outcomeTexts[result.outcome]}, ${result.detail}`),
      });
      const files = [`${resolve(session.folder, out)}.json`, `${resolve(session.folder, out)}.html`] as const;
      await writeReport(files[0], `${JSON.stringify(report, null, 2)}\n`);
      await writeReport(files[1], checkPage(report));
      const ok = report.results.every(({ outcome }) => outcome !== 'failed');
      session.print(json, { ok, files, ...report }, ({ results }) =>
        [
          table(
            ['CHECK', 'OUTCOME', 'DETAIL'],
            results.map(({ check, outcome, detail }) => [check, outcomeTexts[outcome], detail]),
            'No checks.',
          ),
          ...files.map((file) => `written: ${printableText(file)}`),
        ].join('\n'),
      );
      if (!ok) session.exitCode = 1;
    });
}

async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Refused(`the report cannot be written to ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}
