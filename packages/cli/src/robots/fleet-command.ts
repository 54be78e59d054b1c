import { labelsText } from '@perch/schema/plain';
import { isProbeAccount } from '@perch/store';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { durationMs } from '../output/duration.js';
import { Fleet, type Counts, type FleetAnswer, type FleetRobot } from './fleet.js';
import { labelOption } from './label-options.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { table } from '../output/table.js';

const printedMax = 20;

interface FleetOptions {
  account?: string;
  label?: string[];
  away?: boolean;
  longerThan?: string;
  firmware?: string;
  json?: boolean;
}

export function fleetCommand(session: Session): Command {
  return new Command('fleet')
    .description('counts the robots of all accounts, online and away, by model and firmware; lists the robots that are away, and since when')
    .option('--account <id>', 'only robots of this account')
    .option('--label <key=value>', 'only robots with this label; if given more than once, only robots with all of them', labelOption)
    .option('--away', 'lists every robot that is away, the longest first')
    .option('--longer-than <time>', 'lists robots that have been away for at least this long: 30s, 10m, 1h, 2d')
    .option('--firmware <text>', 'lists every robot with exactly this firmware; an empty text lists robots that never reported one')
    .option('--json', 'prints {"accounts", "robots", "online", "away", "never_connected", "models", "firmwares", "list": the listed robots}')
    .addHelpText(
      'after',
      `\n--away, --longer-than and --firmware select the listed robots (default: the ${printedMax} that have been away the longest);` +
        '\nthe counts include all robots of --account and --label, but not those of probes. A robot that never connected counts as away since its creation.' +
        '\n\nExamples:\n  $ perch fleet\n  $ perch fleet --away --longer-than 1h --label room=r7\n  $ perch fleet --firmware 1.0.0 --json',
    )
    .action(async ({ json, ...options }: FleetOptions) => {
      const longerThanMs = options.longerThan === undefined ? 0 : durationMs(options.longerThan);
      if (longerThanMs === null) throw new Refused('--longer-than must be a time such as 30s, 10m, 1h or 2d', 'usage');
      const asksForAway = options.away === true || options.longerThan !== undefined;
      const asksForAll = asksForAway || options.firmware !== undefined;
      const { account: only, label: labels = [], firmware = null } = options;
      const answer = await session.withStore(async (store) => {
        if (only !== undefined) await mustExist(store, only);
        const fleet = new Fleet({ away: asksForAway || !asksForAll, longerThanMs, firmware }, store.clock.now());
        const all = async (): Promise<string[]> => (await store.accounts.list()).map(({ id }) => id).filter((id) => !isProbeAccount(id));
        for (const account of only === undefined ? await all() : [only]) {
          fleet.addAccount();
          for await (const slice of store.robotList.forOwner(account, { labels })) for (const robot of slice) fleet.add(account, robot);
        }
        return fleet.answer();
      });
      session.print(json, answer, (fleet) => fleetText(fleet, asksForAll));
    });
}

function fleetText({ accounts, never_connected, models, firmwares, list, ...total }: FleetAnswer, all: boolean): string {
  const { robots, online, away } = total;
  const parts = [
    `${robots} ${robots === 1 ? 'robot' : 'robots'} of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}: ${online} online, ${away} away (${never_connected} never connected)`,
  ];
  if (robots > 0)
    parts.push(
      countsText(
        'MODEL',
        models.map(({ model, ...counts }) => [model, counts]),
      ),
      countsText(
        'FIRMWARE',
        firmwares.map(({ firmware, ...counts }) => [firmware, counts]),
      ),
    );
  const listed = all ? list : list.slice(0, printedMax);
  if (listed.length > 0 || all) parts.push(listText(listed));
  if (listed.length < list.length) parts.push(`and ${list.length - listed.length} more that are away: perch fleet --away lists all`);
  return parts.join('\n\n');
}

function countsText(head: string, rows: readonly (readonly [string, Counts])[]): string {
  const text = table(
    [head, 'ROBOTS', 'ONLINE', 'AWAY'],
    rows.slice(0, printedMax).map(([name, { robots, online, away }]) => [name || '-', String(robots), String(online), String(away)]),
    '',
  );
  return rows.length > printedMax ? `${text}\nand ${rows.length - printedMax} more: --json prints all` : text;
}

function listText(robots: readonly FleetRobot[]): string {
  return table(
    ['ROBOT', 'ACCOUNT', 'NAME', 'NOW', 'AWAY SINCE', 'MODEL', 'FIRMWARE', 'LABELS'],
    robots.map(({ robot, account, name, online, away_since, model, firmware, labels }) => [
      robot,
      account,
      name,
      online ? 'online' : 'away',
      away_since ?? (online ? '-' : 'never connected'),
      model || '-',
      firmware || '-',
      labelsText(labels),
    ]),
    'No such robots.',
  );
}
