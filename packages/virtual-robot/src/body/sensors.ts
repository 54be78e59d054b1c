/** The robot's readings: plausible, varying values, each of which can be set. */

import type { HeadState } from './head.js';

export type Reading = number | boolean | string | null;

export interface SensedState {
  head: HeadState;
  proximityRaw: number;
  usb: boolean;
  uptimeMs: number;
  /** Null before the first welcome. */
  unixS: number | null;
}

export class Sensors {
  readonly #random: () => number;
  readonly #set = new Map<string, Reading>();
  #reported: Record<string, Reading> = {};
  #batteryPct = 81;
  latest: Readonly<Record<string, Reading>> = {};

  constructor(random: () => number) {
    this.#random = random;
  }

  /** `null`: the sensor failed; `undefined`: the reading varies again. */
  set(name: string, value: Reading | undefined): void {
    if (value === undefined) this.#set.delete(name);
    else this.#set.set(name, value);
  }

  /** For a new session. */
  reportAll(): void {
    this.#reported = {};
  }

  report(state: SensedState): Record<string, Reading> {
    const values: Record<string, Reading> = {};
    const now = this.#sample(state);
    for (const [name, value] of this.#set) now[name] = value;
    this.latest = now;
    for (const name of Object.keys(now)) {
      const value = now[name]!;
      if (this.#reported[name] === value) continue;
      this.#reported[name] = value;
      values[name] = value;
    }
    return values;
  }

  #sample({ head, proximityRaw, usb, uptimeMs, unixS }: SensedState): Record<string, Reading> {
    // `+ 0`: JSON has no -0.
    const vary = (around: number, by: number, steps = 1): number => Math.round((around + by * (2 * this.#random() - 1)) * steps) / steps + 0;
    this.#batteryPct = Math.min(100, Math.max(5, this.#batteryPct + (usb ? 0.02 : -0.003)));
    const pct = Math.round(this.#batteryPct);
    const sample: Record<string, Reading> = {
      battery_pct: pct,
      battery_v: vary(3.35 + pct * 0.0082, 0.01, 100),
      battery_ma: usb ? vary(420, 30) : vary(-190, 40),
      charging: usb && pct < 100,
      usb_power: usb,
      light_lux: vary(240, 12),
      proximity_raw: proximityRaw,
      head_yaw_deg: head.yaw,
      head_pitch_deg: head.pitch,
      head_yaw_load_pct: head.moving ? vary(25, 15) : vary(1, 1),
      head_pitch_load_pct: head.moving ? vary(30, 15) : vary(6, 2),
      head_yaw_temp_c: vary(33, 1),
      head_pitch_temp_c: vary(34, 1),
      head_moving: head.moving,
      accel_x_g: vary(0, 0.01, 1000),
      accel_y_g: vary(0, 0.01, 1000),
      accel_z_g: vary(1, 0.01, 1000),
      gyro_x_dps: vary(0, 0.4, 100),
      gyro_y_dps: vary(0, 0.4, 100),
      gyro_z_dps: vary(0, 0.4, 100),
      compass_deg: vary(124, 1.5, 10),
      uptime_s: Math.floor(uptimeMs / 1000),
      utc_offset_min: 0,
      wifi_rssi_dbm: vary(-54, 3),
      wifi_ssid: 'virtual',
      ip_address: '192.0.2.10',
      heap_free_kb: vary(148, 6),
      heap_min_kb: 121,
      psram_free_kb: vary(6420, 40),
      chip_temp_c: vary(46, 1, 10),
    };
    if (unixS !== null) sample['time_unix_s'] = Math.floor(unixS);
    return sample;
  }
}
