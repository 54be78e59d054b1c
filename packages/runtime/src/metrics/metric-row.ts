/** One row of the table of metrics: what Prometheus reads of a metric, and which time series exist from the start. */

/** The kinds of process, as the label `component` of a metric that all of them have. */
export const components = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;
export type Component = (typeof components)[number];

/** A label with its closed list of values; null where the values are bounded otherwise (the help says how). */
export type Labels = Readonly<Record<string, readonly string[] | null>>;

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: Labels;
  /** Upper bounds of a histogram, in the unit of its name. */
  readonly buckets?: readonly number[];
  /**
   * For a counter: the combinations of label values that exist, at 0, from the start. Each entry is a product of lists. If unset: the product of
   * all closed lists. Combinations outside are created when they first occur.
   */
  readonly startsWith?: readonly Readonly<Record<string, readonly string[]>>[];
  /** One English sentence or two, as Prometheus and Grafana show it. */
  readonly help: string;
}

export type MetricRows = Readonly<Record<string, MetricRow>>;
