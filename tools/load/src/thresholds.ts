export const thresholdNames = [
  'p50_ms',
  'p99_ms',
  'errors',
  'error_ratio',
  'lost',
  'doubled',
  'not_connected',
  'storm_back_s',
  'storm_others_p99_ms',
  'late_heartbeats',
  'memory_growth_ratio',
  'heap_growth_ratio',
] as const;
export type ThresholdName = (typeof thresholdNames)[number];
export type Thresholds = Readonly<Partial<Record<ThresholdName, number>>>;

export const defaultThresholds: Thresholds = { error_ratio: 0.001, lost: 0, doubled: 0, not_connected: 0 };

/** A threshold and its figure; null: this run has no such figure, and the threshold does not apply. */
export interface ThresholdResult {
  name: ThresholdName;
  most: number;
  found: number | null;
  held: boolean;
}

export type Figures = Readonly<Record<ThresholdName, number | null>>;

export function checkThresholds(thresholds: Thresholds, figures: Figures): ThresholdResult[] {
  return thresholdNames.flatMap((name) => {
    const most = thresholds[name];
    if (most === undefined) return [];
    const found = figures[name];
    return [{ name, most, found, held: found === null || found <= most }];
  });
}
