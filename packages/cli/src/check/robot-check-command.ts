/** `perch robot check`: tries what the robot on the desk can do over HTTP, or grades what it does on the link, and writes a report. */
import { resolve } from 'node:path';
import type { Command, OptionValues } from 'commander';
import { perchAt, serviceCommand, settingsFrom } from '../actions/action-commands.js';
import { printableText } from '../output/printable.js';
import { table } from '../output/table.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../option-values.js';
import { checkPage, outcomeTexts, writeReport } from './check-page.js';
import { checkLink } from './link-check.js';
import { checkRobot } from './robot-check.js';

const more = `
Takes about five minutes at the robot, with an NFC tag and a remote control at hand. The robot asks on its own screen, and the answers are tapped there.
A robot whose head is off, because it is not calibrated, asks you to hold it level first.
A tap skips a check for which you have no tag or no remote. "skipped" also means that the robot does not offer it, "not seen" that nobody answered or that
the robot reported nothing in time. The report names the robot, its firmware and its readings, and no Wi-Fi.

With --link it grades the program of a robot, yours too, by the sentences of docs/robot-link.md, without a service: this command is the service's side of
the link. Let the robot dial the address instead of the service's; any token is accepted, and a robot without one pairs. It plays for about a minute: pictures,
quiet tones, cut connections. With --person it also asks for a touch. It writes <path>.json and <path>.badge.json, which shields.io can show.

Examples:
  $ perch robot check r-0123456789 --out check
  $ perch robot check --link ws://192.168.1.20:8090`;

interface CheckFlags {
  out?: string;
  link?: string;
  person?: boolean;
  answerS?: number;
  ledMs?: number;
  calibrate?: boolean;
  json?: boolean;
}

export function robotCheckCommand(session: Session): Command {
  return serviceCommand('check', 'tries what a robot on the desk can do, over HTTP, and writes a report that can be sent')
    .argument('[robot]', 'id of the robot')
    .option('--out <path>', 'writes <path>.json and <path>.html (default: robot-check; with --link: robot-conformance)')
    .option('--link <url>', 'grades the robot that dials this address of this computer, by docs/robot-link.md')
    .option('--person', 'with --link: asks for a touch of the screen, too')
    .option('--answer-s <number>', 'seconds for each answer, 1 to 120 (default: 30)', wholeNumber('--answer-s'))
    .option('--led-ms <number>', 'milliseconds for which each LED lights (default: 300)', wholeNumber('--led-ms'))
    .option('--calibrate', 'calibrates the head first, also if it was: the robot asks you to hold it level')
    .option('--json', 'prints the report, too')
    .addHelpText('after', more)
    .action(async (id: string | undefined, options: OptionValues) => {
      const { link, person = false } = options as CheckFlags;
      if (link !== undefined && id === undefined) return checkLink(session, { ...(options as CheckFlags), link, hasPerson: person });
      if (link !== undefined || id === undefined) throw new Refused('name a robot, or an address with --link', 'usage');
      const { out = 'robot-check', answerS = 30, ledMs = 300, calibrate = false, json } = options as CheckFlags;
      if (answerS > 120) throw new Refused('--answer-s is a number from 1 to 120', 'usage');
      const robot = perchAt(await settingsFrom(session, { ...options, robot: id })).robot(id);
      session.warn(`look at the robot: it asks on its screen, and waits ${answerS} s for each answer`);
      const report = await checkRobot(robot, {
        answerS,
        ledMs,
        calibrate,
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
          'Send both with an issue: the developers have no robot of this kind. They name no Wi-Fi.',
        ].join('\n'),
      );
      if (!ok) session.exitCode = 1;
    });
}
