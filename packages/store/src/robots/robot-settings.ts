/** Settings of robots as fields of their records. */
import { defaultRobotSettings, type RobotSettings } from '@perch/schema';

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
