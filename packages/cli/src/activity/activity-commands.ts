/** `perch activity`: what was asked of the robots and how it ended, its export, and the usage of each key. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityEntry, ActivityFilter, Perch, UsageAnswer } from '@perch/client';
import { Command, Option, type OptionValues } from 'commander';
import { perchAt, serviceCommand, settingsFrom } from '../actions/action-commands.js';
import { printableLines } from '../output/printable.js';
import { rowText, table } from '../output/table.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../option-values.js';

const examples = `
Examples:
  $ perch activity --robot r-... --outcome refused
  $ perch activity --action ask --limit 1000 --json
  $ perch activity list --follow
  $ perch activity export --format csv > activity.csv
  $ perch activity usage`;

const pageLimit = 1000;
const listedDefault = 100;
/** A read costs one action of the rate limit. */
const followMs = 2000;

interface ListOptions extends ActivityFilter {
  limit?: number;
  follow?: boolean;
  count?: number;
  json?: boolean;
}

export function activityCommand(session: Session): Command {
  return new Command('activity')
    .helpGroup('Robots, over HTTP:')
    .description('Activity of the account: what each key asked of each robot and how it ended, sign-ins and changes, and usage.')
    .addHelpText('after', `\nWithout a command, perch activity lists.\n${examples}`)
    .addCommand(listCommand(session), { isDefault: true })
    .addCommand(exportCommand(session))
    .addCommand(usageCommand(session));
}

function listCommand(session: Session): Command {
  return withFilter(serviceCommand('list', 'List the newest entries, the newest last.'))
    .option('--limit <number>', `maximum number of entries (default: ${listedDefault})`, wholeNumber('--limit'))
    .option('--follow', 'print entries as they are stored, one per line, until interrupted')
    .option('--count <number>', 'with --follow: stop after this many entries', wholeNumber('--count'))
    .option('--json', 'prints {"activity"}; with --follow each entry as JSON')
    .action(async ({ json, limit = listedDefault, follow, count, ...options }: ListOptions & OptionValues) => {
      if (count !== undefined && follow !== true) throw new Refused('--count goes with --follow', 'usage');
      const perch = perchAt(await settingsFrom(session, connectionOf(options)));
      const filter = filterOf(options);
      if (follow === true) return followActivity(session, perch, filter, json, count ?? Infinity);
      const activity = await newest(perch, filter, limit);
      session.print(json, { activity }, (shown) => table(activityHeads, shown.activity.map(activityRow), 'No entries.'));
    });
}

async function newest(perch: Perch, filter: ActivityFilter, limit: number): Promise<ActivityEntry[]> {
  const pages: ActivityEntry[][] = [];
  let left = limit;
  let before: number | undefined;
  do {
    const { activity, next_before: next } = await perch.activity({ ...filter, limit: Math.min(left, pageLimit), before });
    pages.push(activity);
    left -= activity.length;
    before = next ?? undefined;
  } while (before !== undefined && left > 0);
  return pages.toReversed().flat();
}

async function followActivity(session: Session, perch: Perch, filter: ActivityFilter, json: boolean | undefined, count: number): Promise<void> {
  let left = count;
  let after = (await perch.activity({ ...filter, limit: 1 })).last_seq;
  for (;;) {
    const { activity, last_seq: last } = await perch.activity({ ...filter, after, limit: pageLimit });
    for (const entry of activity) {
      session.print(json, entry, (shown) => rowText(activityRow(shown), activityWidths));
      if (--left === 0) return;
    }
    after = last;
    await sleep(followMs);
  }
}

function exportCommand(session: Session): Command {
  return withFilter(serviceCommand('export', 'Write all entries to standard output, oldest first.'))
    .addOption(new Option('--format <format>', 'format of the output').choices(['csv', 'json']).default('csv'))
    .action(async ({ format, ...options }: ActivityFilter & OptionValues & { format: 'csv' | 'json' }) => {
      const perch = perchAt(await settingsFrom(session, connectionOf(options)));
      const { body } = await perch.exportActivity({ format, ...filterOf(options) });
      if (body === null) return;
      const text = new TextDecoder();
      for await (const bytes of body) {
        if (session.isTerminal) session.write(printableLines(text.decode(bytes, { stream: true }).replaceAll('\r\n', '\n')));
        else session.writeBytes(bytes);
      }
    });
}

function usageCommand(session: Session): Command {
  return serviceCommand('usage', 'Count calls, refusals, questions and answers of each key, per day of the last 30 days.')
    .option('--json', 'prints {"days"}')
    .action(async ({ json, ...options }: OptionValues & { json?: boolean }) => {
      const days = await perchAt(await settingsFrom(session, options)).usage();
      session.print(json, { days }, (shown) => table(usageHeads, usageRows(shown.days), 'No calls in the last 30 days.'));
    });
}

function withFilter(command: Command): Command {
  return command
    .option('--robot <id>', 'only entries of this robot (PERCH_ROBOT does not apply)')
    .option('--key <id>', 'only calls with the key of this id; page: only those of the web page')
    .option('--action <name>', 'only this action, or this kind of change')
    .option('--outcome <outcome>', 'only this outcome; refused: every error')
    .addOption(new Option('--kind <kind>', 'only calls, or only sign-ins and changes').choices(['calls', 'changes']));
}

function filterOf({ robot, key, action, outcome, kind }: ActivityFilter): ActivityFilter {
  return { robot, key, action, outcome, kind };
}

/** The robot of the filter is not the one that actions are sent to. */
function connectionOf({ baseUrl, apiKey }: OptionValues): OptionValues {
  return { baseUrl, apiKey };
}

const activityHeads = ['TIME', 'BY', 'ROBOT', 'ACTION', 'OUTCOME', 'SECONDS', 'DETAILS'] as const;
/** Widths while entries are followed, when later rows are not known. */
const activityWidths = [24, 20, 18, 10, 12, 7] as const;

function activityRow(entry: ActivityEntry): string[] {
  const { at, robot, action, outcome, seconds, count } = entry;
  return [
    at,
    byText(entry),
    robot ?? '-',
    action,
    count > 1 ? `${outcome} x${count}` : outcome,
    seconds === null ? '-' : seconds.toFixed(2),
    detailsText(entry),
  ];
}

function byText({ via, key }: ActivityEntry): string {
  if (via === 'page') return 'web page';
  if (via === 'operator') return 'operator';
  const name = key === null ? 'unknown key' : key.name || key.id;
  return via === 'agent' ? `${name} (agent)` : name;
}

function detailsText({ question, answer, tap_s: tapS, x, y, network, subject, guest }: ActivityEntry): string {
  const parts = [
    question === null ? null : `question=${JSON.stringify(question)}`,
    answer === null ? null : `answer=${JSON.stringify(answer)}`,
    x === null || y === null ? null : `at=${x},${y}`,
    tapS === null ? null : `tap_s=${tapS}`,
    subject === null ? null : `subject=${subject}`,
    guest === null ? null : `guest=${guest}`,
    network === null ? null : `network=${network}`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

const usageHeads = ['DATE', 'KEY', 'CALLS', 'REFUSED', 'ASKED', 'ANSWERED', 'RATE', 'MEDIAN TAP'] as const;

function usageRows(days: UsageAnswer['days']): string[][] {
  return days.flatMap(({ date, keys }) =>
    keys.map(({ key, calls, refused, asked, answered, answer_rate: rate, median_tap_s: tapS }) => [
      date,
      key === null ? 'web page and others' : key.name || key.id,
      String(calls),
      String(refused),
      String(asked),
      String(answered),
      rate === null ? '-' : `${Math.round(rate * 100)} %`,
      tapS === null ? '-' : `${tapS} s`,
    ]),
  );
}
