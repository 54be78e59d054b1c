import { robotScreen, type Boot, type RobotScreen, type RobotSettings, type LogLine, defaultRobotSettings } from '@perch/schema';
import { accountKeys, robotKeys } from '../redis/keys.js';
import type { Forms } from '../redis/formats.js';
import { guarded } from '../redis/errors.js';
import type { Connections } from '../redis/connections.js';

/** Fields of the latest hello are null or empty until the robot has connected once. */
export interface RobotRecord {
  id: string;
  account: string;
  name: string;
  /** Redis ms. */
  createdAt: number;
  serial: string | null;
  /** Null: its pairing was approved, but the token not fetched yet. */
  tokenHash: string | null;
  model: string | null;
  firmware: string | null;
  virtual: boolean;
  settings: RobotSettings;
  hello: RobotHello;
}

/** The parts of a hello that gateways need; `commands` as declared, including the `system` ones. */
export interface RobotHello {
  features: string[];
  commands: Record<string, unknown>[];
  screen: RobotScreen | null;
  audio: { formats: string[]; rates: number[]; buffer_bytes: number; max_part_bytes: number } | null;
  boot: Boot | null;
  /** Whether the robot plays sounds that are still being made. */
  openSounds?: true;
}

/** Held a robot when its token ended: its instance must close the session with 4003. */
export interface Holder {
  instance: string;
  session: string;
}

export function holderOf(state: string, instance: string, session: string): Holder | null {
  return state === 'held' ? { instance, session } : null;
}

export function recordOf(id: string, hash: Record<string, string>, forms: Forms): RobotRecord {
  const reported = (hash.hello === undefined ? null : forms.read<Partial<RobotHello>>('robot_hello', hash.hello)) ?? {};
  return {
    id,
    account: hash.account!,
    name: hash.name ?? '',
    createdAt: Number(hash.created_at),
    serial: hash.serial ?? null,
    tokenHash: hash.token_hash ?? null,
    model: hash.model ?? null,
    firmware: hash.firmware ?? null,
    virtual: hash.virtual === '1',
    settings: settingsOf(settingsFields.map((field) => hash[field])),
    hello: {
      features: reported.features ?? [],
      commands: reported.commands ?? [],
      // The record of a robot that last connected to 0.9.0 has every format that it named.
      screen: reported.screen ? robotScreen(reported.screen) : null,
      audio: reported.audio ?? null,
      boot: reported.boot ?? null,
      ...(reported.openSounds === true && { openSounds: true }),
    },
  };
}

/** Returns the keys that robot-bind.lua and robot-unbind.lua expect first. */
export function listKeys(account: string): readonly [robots: string, serials: string, labels: string, stored: string] {
  return [accountKeys.robots(account), accountKeys.serials(account), accountKeys.labels(account), accountKeys.stored(account)];
}

const keptMax = 100;
const keptS = 7 * 24 * 3600;

export class RobotLines {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Appends a line with Redis' time, but only while `session` holds the robot. */
  async append(robot: string, session: string, { level, text }: Omit<LogLine, 'at'>): Promise<void> {
    await this.#redis.script('linesAppend', [robotKeys.lease(robot), robotKeys.lines(robot)], [session, level, text, keptMax, keptS]);
  }

  /** Returns lines oldest first: up to 100, for 7 days after the last one. */
  async read(robot: string): Promise<LogLine[]> {
    const entries = await guarded(() => this.#redis.commands.lrange(robotKeys.lines(robot), 0, -1));
    return entries.map((entry) => {
      const [ms, level, ...text] = entry.split(' ');
      return { at: new Date(Number(ms)).toISOString(), level: level as LogLine['level'], text: text.join(' ') };
    });
  }
}

/** Settings of robots as fields of their records. */
export const settingsFields = ['time_zone', 'volume_max', 'quiet_hours'] as const;

type Stored = string | null | undefined;

/** @param stored values of `settingsFields`. Unreadable values count as not set. */
export function settingsOf([timeZone, volumeMax, quietHours]: readonly Stored[]): RobotSettings {
  // Most robots have none set: their sessions share one object.
  if (!timeZone && !volumeMax && !quietHours) return defaultRobotSettings;
  const volume = volumeMax ? Number(volumeMax) : null;
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(quietHours ?? '') ?? [];
  return {
    timeZone: timeZone || defaultRobotSettings.timeZone,
    volumeMax: Number.isFinite(volume) ? volume : null,
    quietHours: from === undefined || to === undefined ? null : { from, to },
  };
}

/** @returns names and values, in turn */
export function storedSettings({ timeZone, volumeMax, quietHours }: Partial<RobotSettings>): string[] {
  const values: Record<(typeof settingsFields)[number], Stored> = {
    time_zone: timeZone,
    volume_max: volumeMax === undefined ? undefined : String(volumeMax ?? ''),
    quiet_hours: quietHours === undefined ? undefined : quietHours === null ? '' : `${quietHours.from}-${quietHours.to}`,
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined || value === null ? [] : [name, value]));
}
