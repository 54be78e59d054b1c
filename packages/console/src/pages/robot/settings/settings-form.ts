/** Texts of the settings form and what they stand for. */
import type { ConsoleRobot, Labels } from '@perch/schema';

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

export function labelsText({ labels = {} }: ConsoleRobot): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

/** @returns what is wrong as a string; the service checks the rest */
export function labelsIn(text: string): Labels | string {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return `${line}: write key=value, such as room=r7.`;
    const key = line.slice(0, at);
    if (labels.has(key)) return `The key ${key} is given more than once.`;
    labels.set(key, line.slice(at + 1));
  }
  return Object.fromEntries(labels);
}
