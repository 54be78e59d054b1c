/** PromQL expressions of the kinds that the dashboards need. Rates take `$__rate_interval`, which Grafana fits to the scrape interval. */

interface Selection {
  /** Matchers, such as `code="ok"`. */
  where?: string | undefined;
  /** Labels to keep, such as `code, action`; all series are added up if it is not given. */
  by?: string | undefined;
}

/** Returns the increase a second of a counter. */
export const perSecond = (counter: string, { where, by }: Selection = {}): string =>
  `${aggregate('sum', by)} (rate(${counter}${matchers(where)}[$__rate_interval]))`;

/** Returns how much a counter grew over the time range of the page. */
export const overRange = (counter: string, { where, by }: Selection = {}): string =>
  `${aggregate('sum', by)} (increase(${counter}${matchers(where)}[$__range]))`;

/** As `perSecond`, without the series of which nothing was counted over the time range of the page: for labels with many values. */
export const perSecondSeen = (counter: string, { where, by }: Required<Pick<Selection, 'by'>> & Selection): string =>
  `${perSecond(counter, { where, by })} and ${overRange(counter, { where, by })} > 0`;

/** Returns a quantile of a histogram. */
export const quantile = (q: number, histogram: string, { where, by }: Selection = {}): string =>
  `histogram_quantile(${q}, ${aggregate('sum', by === undefined ? 'le' : `le, ${by}`)} (rate(${histogram}_bucket${matchers(where)}[$__rate_interval])))`;

export const sum = (gauge: string, { where, by }: Selection = {}): string => `${aggregate('sum', by)} (${gauge}${matchers(where)})`;

export const max = (gauge: string, { where, by }: Selection = {}): string => `${aggregate('max', by)} (${gauge}${matchers(where)})`;

/** Restricts a metric that every service has to the instances of one, chosen by the page's variable `instance`. */
export const ofComponent = (component: string, metric: string): string =>
  `${metric} * on (instance) group_left () perch_build_info{component="${component}", instance=~"$instance"}`;

/** Adds the label `component` (which service an instance is of) to a metric that every service has. */
export const withComponent = (metric: string): string => `${metric} * on (instance) group_left (component) perch_build_info`;

/** The value where there is one, else 0: for counts that are absent as long as nothing was counted. */
export const orZero = (expression: string): string => `${expression} or vector(0)`;

function aggregate(operator: string, by: string | undefined): string {
  return by === undefined ? operator : `${operator} by (${by})`;
}

function matchers(where: string | undefined): string {
  return where === undefined ? '' : `{${where}}`;
}
