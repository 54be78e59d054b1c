import { robotScreen, type Boot, type RobotScreen, type RobotSettings } from '@perch/schema';
import { accountKeys } from '../keys.js';
import type { Forms } from '../versions/forms.js';
import { settingsFields, settingsOf } from './robot-settings.js';

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
