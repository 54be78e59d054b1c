/** Readings of a robot, and what its owner set, that become sensors. What a robot never reported gets none. */
import type { Readings, StateAnswer } from '@perch/client';

export type Reported = Readings & {
  /** True if a person is near the robot; null: unknown. Absent: the robot has no sensor for it. */
  near?: boolean | null;
  volume_max?: StateAnswer['volume_max'];
  quiet_hours?: StateAnswer['quiet_hours'];
  open_question?: string;
  update?: StateAnswer['update'];
};

interface ReadingSensor {
  /** Absent: Home Assistant names the entity by its device class, in the user's language. */
  name?: string;
  /** Boolean readings become binary sensors. */
  binary?: true;
  deviceClass?: string;
  unit?: string;
  /** Listed under the device's diagnostics. */
  diagnostic?: true;
  /** Hidden until the user enables it. */
  disabled?: true;
  /** Not a number. */
  text?: true;
  icon?: string;
  /** If the value is not published under the name. */
  template?: string;
  /** Template of the attributes. */
  attributes?: string;
}

export const readingSensors: Readonly<Partial<Record<keyof Reported, ReadingSensor>>> = {
  battery_pct: { deviceClass: 'battery', unit: '%', diagnostic: true },
  charging: { binary: true, deviceClass: 'battery_charging', diagnostic: true },
  usb_power: { name: 'USB power', binary: true, deviceClass: 'plug', diagnostic: true },
  light_lux: { deviceClass: 'illuminance', unit: 'lx' },
  chip_temp_c: { name: 'Chip temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true },
  head_yaw_temp_c: { name: 'Head yaw servo temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true, disabled: true },
  head_pitch_temp_c: { name: 'Head pitch servo temperature', deviceClass: 'temperature', unit: '°C', diagnostic: true, disabled: true },
  wifi_rssi_dbm: { deviceClass: 'signal_strength', unit: 'dBm', diagnostic: true, disabled: true },
  battery_v: { name: 'Battery voltage', deviceClass: 'voltage', unit: 'V', diagnostic: true, disabled: true },
  wifi_ssid: { name: 'Wi-Fi name', text: true, diagnostic: true, icon: 'mdi:wifi' },
  ip_address: { name: 'IP address', text: true, diagnostic: true, icon: 'mdi:ip-network' },
  near: { binary: true, deviceClass: 'occupancy' },
  open_question: { name: 'Open question', text: true, icon: 'mdi:help-box' },
  volume_max: {
    name: 'Volume limit',
    unit: '%',
    diagnostic: true,
    icon: 'mdi:volume-high',
    template: '{{ value_json.volume_max if value_json.volume_max is number else 100 }}',
  },
  quiet_hours: {
    name: 'Quiet hours',
    binary: true,
    diagnostic: true,
    icon: 'mdi:sleep',
    template: '{{ value_json.quiet_hours.active if value_json.quiet_hours else False }}',
    attributes: '{{ (value_json.quiet_hours or {}) | to_json }}',
  },
};
