import { labelsText, robotName, type Labels } from '@perch/schema/plain';
import { isProbeAccount, type OwnersRobot } from '@perch/store';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { durationMs } from '../option-values.js';
import { labelOption } from './robot-options.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { table, timeText } from '../output/table.js';

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

interface Counts {
  robots: number;
  online: number;
  away: number;
}

interface FleetRobot {
  robot: string;
  account: string;
  name: string;
  model: string;
  firmware: string;
  online: boolean;
  /** RFC 3339; null while the robot is online, or if it never connected. */
  away_since: string | null;
  labels: Labels;
}

interface Wanted {
  away: boolean;
  longerThanMs: number;
  firmware: string | null;
}

export interface FleetAnswer extends Counts {
  accounts: number;
  never_connected: number;
  models: (Counts & { model: string })[];
  firmwares: (Counts & { firmware: string })[];
  list: FleetRobot[];
}

class Fleet {
  readonly #wanted: Wanted;
  readonly #now: number;
  readonly #total = noRobots();
  readonly #models = new Map<string, Counts>();
  readonly #firmwares = new Map<string, Counts>();
  /** Each with the Redis ms when the robot was last seen, or created if it never connected. */
  readonly #list: { robot: FleetRobot; lastSeenAt: number }[] = [];
  #accounts = 0;
  #neverConnected = 0;

  constructor(wanted: Wanted, now: number) {
    this.#wanted = wanted;
    this.#now = now;
  }

  addAccount(): void {
    this.#accounts += 1;
  }

  add(account: string, robot: OwnersRobot): void {
    const { online, model, firmware, lastSeenAt } = robot;
    for (const counts of [this.#total, countsOf(this.#models, model ?? ''), countsOf(this.#firmwares, firmware ?? '')]) {
      counts.robots += 1;
      counts[online ? 'online' : 'away'] += 1;
    }
    if (lastSeenAt === null) this.#neverConnected += 1;
    if (this.#isListed(robot)) this.#list.push({ robot: rowOf(account, robot), lastSeenAt: lastSeenAt ?? robot.createdAt });
  }

  answer(): FleetAnswer {
    const list = this.#list.toSorted((a, b) => Number(a.robot.online) - Number(b.robot.online) || a.lastSeenAt - b.lastSeenAt);
    return {
      accounts: this.#accounts,
      ...this.#total,
      never_connected: this.#neverConnected,
      models: mostFirst(this.#models).map(([model, counts]) => ({ model, ...counts })),
      firmwares: mostFirst(this.#firmwares).map(([firmware, counts]) => ({ firmware, ...counts })),
      list: list.map(({ robot }) => robot),
    };
  }

  #isListed({ online, firmware, lastSeenAt, createdAt }: OwnersRobot): boolean {
    const { away, longerThanMs, firmware: wantedFirmware } = this.#wanted;
    if (wantedFirmware !== null && (firmware ?? '') !== wantedFirmware) return false;
    if (!away) return true;
    return !online && this.#now - (lastSeenAt ?? createdAt) >= longerThanMs;
  }
}

function noRobots(): Counts {
  return { robots: 0, online: 0, away: 0 };
}

function countsOf(counts: Map<string, Counts>, name: string): Counts {
  let found = counts.get(name);
  if (found === undefined) counts.set(name, (found = noRobots()));
  return found;
}

function mostFirst(counts: ReadonlyMap<string, Counts>): [string, Counts][] {
  return [...counts].toSorted(([a, { robots: ofA }], [b, { robots: ofB }]) => ofB - ofA || (a < b ? -1 : 1));
}

function rowOf(account: string, { id, name, model, firmware, online, lastSeenAt, labels }: OwnersRobot): FleetRobot {
  const away_since = online || lastSeenAt === null ? null : timeText(lastSeenAt);
  return { robot: id, account, name: robotName(id, name), model: model ?? '', firmware: firmware ?? '', online, away_since, labels };
}
