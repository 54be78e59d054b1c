/** The record of a robot, with what the robot reported in its hello. */
import type { Boot } from '@perch/schema';
import { accountKeys } from '../keys.js';
import type { ScriptKeys } from '../redis/script-keys.generated.js';
import type { Forms } from '../versions/forms.js';

/** A robot as stored. Fields of its latest hello are null or empty until it has connected once. */
export interface RobotRecord {
  id: string;
  account: string;
  name: string;
  /** Redis ms. */
  createdAt: number;
  serial: string | null;
  /** SHA-256 of its token; null for a robot whose pairing was approved but not fetched yet. */
  tokenHash: string | null;
  model: string | null;
  firmware: string | null;
  virtual: boolean;
  hello: RobotHello;
}

/** The parts of a robot's hello that gateways need; `commands` as the robot declared them, including the `system` ones. */
export interface RobotHello {
  features: string[];
  commands: Record<string, unknown>[];
  screen: { w: number; h: number; formats: ('jpeg' | 'png')[]; max_bytes: number } | null;
  audio: { formats: string[]; rates: number[]; buffer_bytes: number; max_part_bytes: number } | null;
  /** Why it started, if its hello says so. */
  boot: Boot | null;
}

/** The session that held a robot when its token ended: its instance must close the session with 4003. */
export interface Holder {
  instance: string;
  session: string;
}

/** Returns the session that a script reported as the holder; null when the robot was not held. */
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
    hello: {
      features: reported.features ?? [],
      commands: reported.commands ?? [],
      screen: reported.screen ?? null,
      audio: reported.audio ?? null,
      boot: reported.boot ?? null,
    },
  };
}

/** Returns the account's keys that name its robots, as robot-bind.lua and robot-unbind.lua expect them first. */
export function listKeys(account: string): ScriptKeys['robotUnbind'] {
  return [accountKeys.robots(account), accountKeys.serials(account), accountKeys.labels(account), accountKeys.stored(account)];
}
