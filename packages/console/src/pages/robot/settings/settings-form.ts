/** Texts of the settings form and what they stand for. */
import type { ConsoleRobot } from '@perch/schema';

export interface SoundForm {
  timeZone: string;
  /** '' for no limit. */
  volume: string;
  isQuiet: boolean;
  from: string;
  to: string;
}

/** A robot without quiet hours gets the time zone of the browser proposed, unless its owner chose one. */
export function settingsOf({ time_zone = 'UTC', volume_max = null, quiet_hours = null }: ConsoleRobot): SoundForm {
  const isUnset = time_zone === 'UTC' && quiet_hours === null;
  return {
    timeZone: isUnset ? new Intl.DateTimeFormat().resolvedOptions().timeZone : time_zone,
    volume: volume_max === null ? '' : String(volume_max),
    isQuiet: quiet_hours !== null,
    from: quiet_hours?.from ?? '22:00',
    to: quiet_hours?.to ?? '07:00',
  };
}

/** @returns null for no limit, undefined for a text that is no volume */
export function volumeIn(text: string): number | null | undefined {
  const typed = text.trim();
  if (typed === '') return null;
  return /^\d{1,3}$/.test(typed) && Number(typed) <= 100 ? Number(typed) : undefined;
}

/** Returns a label that is written key=value; null if it is not. The service checks the rest. */
export function labelIn(text: string): { key: string; value: string } | null {
  const written = text.trim();
  const at = written.indexOf('=');
  return at < 1 ? null : { key: written.slice(0, at), value: written.slice(at + 1) };
}
