import { robotName, type Labels } from '@perch/schema/plain';
import type { OwnersRobot } from '@perch/store';
import { timeText } from '../output/table.js';

export interface Counts {
  robots: number;
  online: number;
  away: number;
}

export interface FleetRobot {
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

export interface Wanted {
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

export class Fleet {
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
