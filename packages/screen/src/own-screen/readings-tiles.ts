import type { Rect } from '../scene.js';

export type ReadingsShown = Readonly<Record<string, number | boolean | string | null>>;

export interface ReadingsTile {
  rect: Rect;
  name: string;
  value: string;
}

export const readingsColors = { tile: '#161c29', name: '#9fb0cf', value: '#ffffff' } as const;

/** Text positions in a tile: left edge and baselines, px from the tile's upper left corner, and font sizes. */
export const readingsText = { left: 12, nameBaseline: 22, nameSize: 16, valueBaseline: 53, valueSize: 23, radius: 10 } as const;

const shown: readonly [name: string, read: (readings: ReadingsShown) => string | null][] = [
  ['Battery', ({ battery_pct, charging }) => measured(battery_pct, charging === true ? ' % +' : ' %')],
  ['Light', ({ light_lux }) => measured(light_lux, ' lx')],
  ['Wi-Fi', ({ wifi_rssi_dbm }) => measured(wifi_rssi_dbm, ' dBm')],
  [
    'Head',
    ({ head_yaw_deg, head_pitch_deg }) =>
      isNumber(head_yaw_deg) && isNumber(head_pitch_deg) ? `${Math.round(head_yaw_deg)}° ${Math.round(head_pitch_deg)}°` : null,
  ],
  ['Chip', ({ chip_temp_c }) => measured(chip_temp_c, ' °C')],
  ['Memory', ({ heap_free_kb }) => measured(heap_free_kb, ' KB')],
];

export function readingsTiles(readings: ReadingsShown): ReadingsTile[] {
  return shown.map(([name, read], i) => ({
    rect: { x: 10 + (i % 2) * 154, y: 10 + Math.floor(i / 2) * 76, w: 146, h: 68 },
    name,
    value: read(readings) ?? '–',
  }));
}

function measured(value: ReadingsShown[string] | undefined, unit: string): string | null {
  return isNumber(value) ? `${Math.round(value * 10) / 10}${unit}` : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
