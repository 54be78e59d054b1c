/** Sensor readings of robots, with the unit in the name (table of robot-link.md), and the fast check of every report. */
import { isIP } from 'node:net';

export type ReadingKind = 'number' | 'boolean' | 'ssid' | 'ip';

export interface ReadingRule {
  group: 'battery and charging' | 'light and proximity' | 'head' | 'motion and compass' | 'clock' | 'wifi' | 'memory';
  kind: ReadingKind;
  min: number;
  max: number;
}

export type ReadingValue = number | boolean | string | null;
export type Readings = Record<string, ReadingValue>;
export type DropReason = 'unknown_name' | 'out_of_range' | 'wrong_type';

export const readingTable: Readonly<Record<string, ReadingRule>> = Object.assign(Object.create(null) as object, {
  battery_pct: number('battery and charging', 0, 100),
  battery_v: number('battery and charging', 2.5, 4.5),
  battery_ma: number('battery and charging', -3000, 3000),
  charging: other('battery and charging', 'boolean'),
  usb_power: other('battery and charging', 'boolean'),
  light_lux: number('light and proximity', 0, 65_535),
  proximity_raw: number('light and proximity', 0, 2047),
  head_yaw_deg: number('head', -128, 128),
  head_pitch_deg: number('head', 0, 90),
  head_yaw_load_pct: number('head', -100, 100),
  head_pitch_load_pct: number('head', -100, 100),
  head_yaw_temp_c: number('head', 0, 100),
  head_pitch_temp_c: number('head', 0, 100),
  head_moving: other('head', 'boolean'),
  accel_x_g: number('motion and compass', -16, 16),
  accel_y_g: number('motion and compass', -16, 16),
  accel_z_g: number('motion and compass', -16, 16),
  gyro_x_dps: number('motion and compass', -2000, 2000),
  gyro_y_dps: number('motion and compass', -2000, 2000),
  gyro_z_dps: number('motion and compass', -2000, 2000),
  compass_deg: number('motion and compass', 0, 360),
  time_unix_s: number('clock', 0, Number.MAX_VALUE),
  uptime_s: number('clock', 0, Number.MAX_VALUE),
  utc_offset_min: number('clock', -840, 840),
  wifi_rssi_dbm: number('wifi', -120, 0),
  wifi_ssid: other('wifi', 'ssid'),
  ip_address: other('wifi', 'ip'),
  heap_free_kb: number('memory', 0, Number.MAX_VALUE),
  heap_min_kb: number('memory', 0, Number.MAX_VALUE),
  psram_free_kb: number('memory', 0, Number.MAX_VALUE),
  chip_temp_c: number('memory', -40, 125),
});

export const readingNames: readonly string[] = Object.keys(readingTable);

/** Copies valid values to `into`; null (a failed sensor) is valid. For others (unknown, wrong type or range) `into` keeps its previous value. */
export function acceptReadings(values: Record<string, unknown>, into: Readings, onDropped?: (name: string, reason: DropReason) => void): void {
  for (const name in values) {
    const rule = readingTable[name];
    if (rule === undefined) {
      onDropped?.(name, 'unknown_name');
      continue;
    }
    const value = values[name];
    const reason = value === null ? null : fault(rule, value);
    if (reason === null) into[name] = value as ReadingValue;
    else onDropped?.(name, reason);
  }
}

function fault(rule: ReadingRule, value: unknown): DropReason | null {
  if (rule.kind === 'number') {
    if (typeof value !== 'number') return 'wrong_type';
    return value >= rule.min && value <= rule.max ? null : 'out_of_range';
  }
  if (rule.kind === 'boolean') return typeof value === 'boolean' ? null : 'wrong_type';
  if (typeof value !== 'string') return 'wrong_type';
  if (rule.kind === 'ip') return isIP(value) === 0 ? 'out_of_range' : null;
  return Buffer.byteLength(value) <= rule.max ? null : 'out_of_range';
}

function number(group: ReadingRule['group'], min: number, max: number): ReadingRule {
  return { group, kind: 'number', min, max };
}

/** The `max` of an SSID is its length in bytes. */
function other(group: ReadingRule['group'], kind: Exclude<ReadingKind, 'number'>): ReadingRule {
  return { group, kind, min: 0, max: kind === 'ssid' ? 32 : 0 };
}
