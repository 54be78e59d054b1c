/** Readings of a robot that become sensors. Readings that a robot never reported get none. */
import type { Readings } from '@perch/client';

interface ReadingSensor {
  name: string;
  /** Boolean readings become binary sensors. */
  binary?: true;
  deviceClass?: string;
  unit?: string;
  /** Listed under the device's diagnostics. */
  diagnostic?: true;
  /** Hidden until the user enables it. */
  disabled?: true;
}

export const readingSensors: Readonly<Partial<Record<keyof Readings, ReadingSensor>>> = {
  battery_pct: { name: 'Battery', deviceClass: 'battery', unit: '%' },
  charging: { name: 'Charging', binary: true, deviceClass: 'battery_charging', diagnostic: true },
  usb_power: { name: 'USB power', binary: true, deviceClass: 'plug', diagnostic: true },
  light_lux: { name: 'Light', deviceClass: 'illuminance', unit: 'lx' },
  chip_temp_c: { name: 'Chip temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true },
  head_yaw_temp_c: { name: 'Head yaw servo temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true, disabled: true },
  head_pitch_temp_c: { name: 'Head pitch servo temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true, disabled: true },
  wifi_rssi_dbm: { name: 'Wi-Fi signal', deviceClass: 'signal_strength', unit: 'dBm', diagnostic: true, disabled: true },
  battery_v: { name: 'Battery voltage', deviceClass: 'voltage', unit: 'V', diagnostic: true, disabled: true },
};
