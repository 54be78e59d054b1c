import type { RobotLooks } from './looks.js';

type Readings = RobotLooks['readings'];

const tiles: readonly [string, (readings: Readings) => string | null][] = [
  ['Battery', ({ battery_pct, charging }) => unit(battery_pct, charging === true ? ' % +' : ' %')],
  ['Light', ({ light_lux }) => unit(light_lux, ' lx')],
  ['Wi-Fi', ({ wifi_rssi_dbm }) => unit(wifi_rssi_dbm, ' dBm')],
  [
    'Head',
    ({ head_yaw_deg, head_pitch_deg }) =>
      isNumber(head_yaw_deg) && isNumber(head_pitch_deg) ? `${Math.round(head_yaw_deg)}° ${Math.round(head_pitch_deg)}°` : null,
  ],
  ['Chip', ({ chip_temp_c }) => unit(chip_temp_c, ' °C')],
  ['Memory', ({ heap_free_kb }) => unit(heap_free_kb, ' KB')],
];

export function ReadingsView({ readings }: { readings: Readings }) {
  return (
    <g className="readings-view">
      {tiles.map(([name, read], index) => (
        <g key={name} transform={`translate(${10 + (index % 2) * 154} ${10 + Math.floor(index / 2) * 76})`}>
          <rect className="readings-tile" width={146} height={68} rx={10} />
          <text className="readings-name" x={12} y={22}>
            {name}
          </text>
          <text className="readings-value" x={12} y={53}>
            {read(readings) ?? '–'}
          </text>
        </g>
      ))}
    </g>
  );
}

function unit(value: Readings[string] | undefined, unit: string): string | null {
  return isNumber(value) ? `${Math.round(value * 10) / 10}${unit}` : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
