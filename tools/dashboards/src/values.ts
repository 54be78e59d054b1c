import { MappingType, type Threshold, type ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';

export const yesNo: readonly ValueMapping[] = [
  { type: MappingType.ValueToText, options: { '0': { text: 'no', color: 'red', index: 0 }, '1': { text: 'yes', color: 'green', index: 1 } } },
];

export const redBelowOne: readonly Threshold[] = [
  { color: 'red', value: null },
  { color: 'green', value: 1 },
];

export const orangeAboveZero: readonly Threshold[] = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.000_001 },
];

export const redAboveZero: readonly Threshold[] = [
  { color: 'green', value: null },
  { color: 'red', value: 0.000_001 },
];

export function worseAbove(orange: number, red: number): readonly Threshold[] {
  return [
    { color: 'green', value: null },
    { color: 'orange', value: orange },
    { color: 'red', value: red },
  ];
}

export function worseBelow(red: number, orange: number): readonly Threshold[] {
  return [
    { color: 'red', value: null },
    { color: 'orange', value: red },
    { color: 'green', value: orange },
  ];
}
