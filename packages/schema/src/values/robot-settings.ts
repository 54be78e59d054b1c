/** Settings that the owner of a robot chooses and the service enforces. */
import { limits } from '../base/limits.js';
import type { Problem } from '../base/open-object.js';

export interface QuietHours {
  /** `HH:MM`, 00:00 to 23:59. Later than `to`: the hours include midnight. */
  from: string;
  to: string;
}

export interface RobotSettings {
  /** IANA name. */
  timeZone: string;
  /** Percent; null: no limit. */
  volumeMax: number | null;
  quietHours: QuietHours | null;
}

/** As a form sends it. Absent fields stay; null removes. */
export interface RobotSettingsChange {
  time_zone?: string;
  volume_max?: number | null;
  quiet_hours?: QuietHours | null;
}

export const defaultRobotSettings: RobotSettings = { timeZone: 'UTC', volumeMax: null, quietHours: null };

const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const { volumeMin, volumeMax } = limits.sound;
/** One for each time zone in use. `Intl` knows about 600 names. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** @returns the name as `Intl` writes it, or null if it names no time zone */
export function canonicalTimeZone(name: string): string | null {
  // `Intl` also accepts offsets such as +01:00, which know no daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** @returns the problem of a change, which may have any types, with the name of the field; null if there is none */
export function settingsProblem({ time_zone, volume_max, quiet_hours }: { [K in keyof RobotSettingsChange]: unknown }): Problem | null {
  if (time_zone !== undefined && (typeof time_zone !== 'string' || canonicalTimeZone(time_zone) === null))
    return { field: 'time_zone', message: 'must be the name of a time zone, such as Europe/Berlin or UTC' };
  if (volume_max !== undefined && volume_max !== null && !isVolume(volume_max))
    return { field: 'volume_max', message: `must be a whole number from ${volumeMin} to ${volumeMax}, or null for no limit` };
  return quiet_hours === undefined || quiet_hours === null ? null : quietHoursProblem(quiet_hours);
}

function isVolume(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= volumeMin && (value as number) <= volumeMax;
}

function quietHoursProblem(value: unknown): Problem | null {
  const shape = { field: 'quiet_hours', message: 'must be {"from": "22:00", "to": "07:00"}, or null for none' };
  if (typeof value !== 'object' || Array.isArray(value)) return shape;
  const { from, to, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return shape;
  for (const [name, time] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (typeof time !== 'string' || !timeOfDay.test(time))
      return { field: `quiet_hours.${name}`, message: 'must be a time of day from 00:00 to 23:59, such as 22:00' };
  return from === to
    ? { field: 'quiet_hours.to', message: 'must differ from quiet_hours.from; to silence the robot all day, set volume_max to 0' }
    : null;
}

/**
 * Compares with the time that a clock at the robot shows: hours that a change of the clock skips are not quiet, and those it repeats are quiet twice.
 * @param at ms since 1970
 */
export function isQuietAt({ quietHours, timeZone }: Pick<RobotSettings, 'quietHours' | 'timeZone'>, at: number): boolean {
  if (quietHours === null) return false;
  const { from, to } = quietHours;
  const now = formatOf(timeZone).format(at);
  return from < to ? from <= now && now < to : from <= now || now < to;
}

/** Falls back to UTC for a zone that another instance knows and this one does not. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const name = canonicalTimeZone(timeZone) ?? 'UTC';
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: name });
  formats.set(timeZone, format);
  return format;
}
