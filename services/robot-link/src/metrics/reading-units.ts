import type { LabelsOf } from '@perch/runtime';
import type { Readings } from '@perch/schema';

type Sensor = LabelsOf<'perch_link_temperature_celsius'>['sensor'];

const temperatureReadings: Readonly<Record<Sensor, string>> = {
  head_yaw: 'head_yaw_temp_c',
  head_pitch: 'head_pitch_temp_c',
  chip: 'chip_temp_c',
};
export const sensors = Object.keys(temperatureReadings) as Sensor[];

/** 16 GB: readings have no upper bound, robots have megabytes. */
const heapKbMax = 16 * 1024 * 1024;

/** Null: not reported, or the sensor failed; so for the functions below. */
export function batteryRatio({ battery_pct }: Readings): number | null {
  return typeof battery_pct === 'number' ? battery_pct / 100 : null;
}

export function wifiRssiDbm({ wifi_rssi_dbm }: Readings): number | null {
  return typeof wifi_rssi_dbm === 'number' ? wifi_rssi_dbm : null;
}

export function temperatureCelsius(readings: Readings, sensor: Sensor): number | null {
  const value = readings[temperatureReadings[sensor]];
  return typeof value === 'number' ? value : null;
}

/** Null also for a value above any robot's memory: it would make the sum over all robots useless. */
export function freeHeapBytes({ heap_free_kb }: Readings): number | null {
  return typeof heap_free_kb === 'number' && heap_free_kb <= heapKbMax ? heap_free_kb * 1024 : null;
}
