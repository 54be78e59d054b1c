/** An unknown name or label is a compile error; a metric of another kind of process, or one created twice, an error at start. */
import { Counter, Gauge, Registry } from 'prom-client';
import type { Component, Labels, MetricRow } from './metric-row.js';
import { metricGroups, metricTable, type LabelsOf, type MetricName, type NamesOf } from './table.js';

type HasLabels<N extends MetricName> = keyof LabelsOf<N> extends never ? false : true;

interface CounterChild {
  inc(by?: number): void;
}
interface GaugeChild {
  set(value: number): void;
  inc(by?: number): void;
  dec(by?: number): void;
}
interface HistogramChild {
  observe(value: number): void;
}
interface Labelled<N extends MetricName, Child> {
  labels(labels: LabelsOf<N>): Child;
}

export type CounterOf<N extends NamesOf<'counter'>> =
  HasLabels<N> extends false ? CounterChild : Labelled<N, CounterChild> & { inc(labels: LabelsOf<N>, by?: number): void };
export type GaugeOf<N extends NamesOf<'gauge'>> =
  HasLabels<N> extends false ? GaugeChild : Labelled<N, GaugeChild> & { set(labels: LabelsOf<N>, value: number): void };
export type HistogramOf<N extends NamesOf<'histogram'>> =
  HasLabels<N> extends false ? HistogramChild : Labelled<N, HistogramChild> & { observe(labels: LabelsOf<N>, value: number): void };

export type Reading<N extends MetricName> = HasLabels<N> extends false ? number : Iterable<readonly [labels: LabelsOf<N>, value: number]>;
/** Reads a metric at each scrape. If it returns null or throws, the metric is absent from the scrape. */
export type Read<N extends MetricName> = () => Reading<N> | null | Promise<Reading<N> | null>;

export class Metrics {
  readonly registry = new Registry();
  readonly component: Component;

  constructor(component: Component) {
    this.component = component;
  }

  /** Starts at 0 for every closed label value. @param read reads the totals, if they are counted elsewhere */
  counter<N extends NamesOf<'counter'>>(name: N, read?: Read<N>): CounterOf<N> {
    const row: MetricRow = this.#row(name);
    const counter: Counter = new Counter({
      ...this.#options(name, row),
      ...(read && {
        collect: () =>
          refresh(
            counter,
            read,
            (labels, total) => counter.inc(labels, total),
            () => startSeries(row, counter),
          ),
      }),
    });
    startSeries(row, counter);
    return counter as unknown as CounterOf<N>;
  }

  /** @param read reads the value at each scrape; if unset, the caller sets the gauge */
  gauge<N extends NamesOf<'gauge'>>(name: N, read?: Read<N>): GaugeOf<N> {
    const gauge: Gauge = new Gauge({
      ...this.#options(name, this.#row(name)),
      ...(read && { collect: () => refresh(gauge, read, (labels, value) => gauge.set(labels, value)) }),
    });
    return gauge as unknown as GaugeOf<N>;
  }

  histogram<N extends NamesOf<'histogram'>>(name: N): HistogramOf<N> {
    const histogram = new FastHistogram(name, this.#row(name));
    this.registry.registerMetric(histogram as unknown as Gauge);
    return histogram as unknown as HistogramOf<N>;
  }

  /** Creates a summary of quantiles computed elsewhere. Summaries of prom-client compute their own and reserve the label `quantile`. */
  summary<N extends NamesOf<'summary'>>(name: N, read: () => readonly (readonly [labels: LabelsOf<N>, value: number])[]): void {
    const { help, type }: MetricRow = this.#row(name);
    const get = async () => ({ name, help, type, aggregator: 'max', values: read().map(([labels, value]) => ({ labels, value })) });
    this.registry.registerMetric({ name, get, reset() {} } as unknown as Gauge);
  }

  #row(name: MetricName): MetricRow {
    const group = metricGroups.find(({ metrics }) => name in metrics);
    if (group?.components.includes(this.component) !== true) throw new Error(`${name} is not a metric of a ${this.component}`);
    return metricTable[name];
  }

  #options(name: MetricName, { help, labels }: MetricRow) {
    return { name, help, labelNames: Object.keys(labels), registers: [this.registry] };
  }
}

type UntypedRead = () => unknown;
type LabelValues = Record<string, string>;

async function refresh(
  metric: Counter | Gauge,
  read: UntypedRead,
  write: (labels: LabelValues, value: number) => void,
  start?: () => void,
): Promise<void> {
  let reading: unknown = null;
  try {
    reading = await read();
  } catch {
    // The metric is absent from this scrape.
  }
  metric.reset();
  if (reading === null) {
    metric.remove({});
    return;
  }
  if (typeof reading === 'number') {
    write({}, reading);
    return;
  }
  start?.();
  for (const [labels, value] of reading as Iterable<readonly [LabelValues, number]>) write(labels, value);
}

/** Creates series at 0: for a series that first appears at 1, `rate` does not see the first occurrence. */
function startSeries(row: MetricRow, counter: Counter): void {
  const closed = row.startsWith ?? (isClosed(row.labels) ? [row.labels] : []);
  if (Object.keys(row.labels).length === 0) return;
  for (const lists of closed) for (const labels of product(Object.entries(lists))) counter.inc(labels, 0);
}

function isClosed(labels: Labels): labels is Readonly<Record<string, readonly string[]>> {
  return Object.values(labels).every((values) => values !== null);
}

function product([first, ...others]: readonly (readonly [label: string, values: readonly string[]])[]): LabelValues[] {
  if (first === undefined) return [{}];
  const [label, values] = first;
  const rest = product(others);
  return values.flatMap((value) => rest.map((labels) => ({ [label]: value, ...labels })));
}

/** Histogram with the same output as prom-client's that observes a value in a tenth of the time (25 ns instead of 250): prom-client validates and
 * hashes the labels of each observation, also through a child, and looks the bucket up by the decimal text of its bound. */
class Series {
  readonly labels: Readonly<LabelValues>;
  readonly #bounds: readonly number[];
  /** Observations by bucket; the last bucket is above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(labels: Readonly<LabelValues>, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** @throws {TypeError} for a value that is not finite, which would spoil the sum until the process ends */
  observe(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`a histogram cannot observe ${value}`);
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += value;
  }
}

export class FastHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();
  readonly #only: Series | null;

  constructor(name: string, { help, labels, buckets }: MetricRow) {
    if (buckets === undefined) throw new Error(`the histogram ${name} has no buckets`);
    this.name = name;
    this.help = help;
    this.#labelNames = Object.keys(labels);
    this.#bounds = buckets;
    this.#only = this.#labelNames.length === 0 ? this.labels({}) : null;
  }

  /** A caller that keeps it saves the lookup. */
  labels(labels: Readonly<LabelValues>): Series {
    let key = '';
    for (const name of this.#labelNames) key += `${labels[name]}\n`;
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = new Series(labels, this.#bounds)));
    return series;
  }

  observe(labels: Readonly<LabelValues> | number, value?: number): void {
    if (typeof labels === 'number') (this.#only ?? this.labels({})).observe(labels);
    else this.labels(labels).observe(value!);
  }

  async get() {
    const values = [...this.#series.values()].flatMap((series) => this.#valuesOf(series));
    return { name: this.name, help: this.help, type: this.type, aggregator: 'sum', values };
  }

  reset(): void {
    for (const series of this.#series.values()) {
      series.counts.fill(0);
      series.sum = 0;
    }
  }

  /** Returns no values for a series with labels that has no observations yet. */
  #valuesOf({ labels, counts, sum }: Series) {
    const count = counts.reduce((total, each) => total + each, 0);
    if (count === 0 && this.#only === null) return [];
    let upTo = 0;
    return [
      ...this.#bounds.map((le, bucket) => ({ labels: { le, ...labels }, value: (upTo += counts[bucket]!), metricName: `${this.name}_bucket` })),
      { labels: { le: '+Inf', ...labels }, value: count, metricName: `${this.name}_bucket` },
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
