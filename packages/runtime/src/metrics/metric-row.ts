/** Kinds of process that share Redis. */
export const redisComponents = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;
/** Kinds of process: the label `component` of metrics that all of them have. */
export const components = [...redisComponents, 'mqtt-bridge', 'probe'] as const;
export type Component = (typeof components)[number];

/** Labels with their closed lists of values; null if the values are bounded otherwise (see the help of the metric). */
export type Labels = Readonly<Record<string, readonly string[] | null>>;

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: Labels;
  /** Upper bounds of a histogram's buckets, in the unit of its name. */
  readonly buckets?: readonly number[];
  /**
   * For a counter: the combinations of label values that exist, at 0, from the start. Each entry is a product of lists. If unset: the product of
   * all closed lists. Combinations outside are created when they first occur.
   */
  readonly startsWith?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly help: string;
}

export type MetricRows = Readonly<Record<string, MetricRow>>;
