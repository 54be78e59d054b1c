/** Rates use `$__rate_interval`, which Grafana adapts to the scrape interval. */

interface Selection {
  /** Such as `code="ok"`. */
  where?: string | undefined;
  /** Such as `code, action`; if unset, all series are summed. */
  by?: string | undefined;
}

export const perSecond = (counter: string, { where, by }: Selection = {}): string =>
  `${aggregate('sum', by)} (rate(${counter}${matchers(where)}[$__rate_interval]))`;

export const overRange = (counter: string, { where, by }: Selection = {}): string =>
  `${aggregate('sum', by)} (increase(${counter}${matchers(where)}[$__range]))`;

/** Without series that counted nothing over the time range of the page: for labels with many values. */
export const perSecondSeen = (counter: string, { where, by }: Required<Pick<Selection, 'by'>> & Selection): string =>
  `${perSecond(counter, { where, by })} and ${overRange(counter, { where, by })} > 0`;

export const quantile = (q: number, histogram: string, { where, by }: Selection = {}): string =>
  `histogram_quantile(${q}, ${aggregate('sum', by === undefined ? 'le' : `le, ${by}`)} (rate(${histogram}_bucket${matchers(where)}[$__rate_interval])))`;

export const sum = (gauge: string, { where, by }: Selection = {}): string => `${aggregate('sum', by)} (${gauge}${matchers(where)})`;

export const max = (gauge: string, { where, by }: Selection = {}): string => `${aggregate('max', by)} (${gauge}${matchers(where)})`;

/** Chosen by the page's variable `instance`. */
export const ofComponent = (component: string, metric: string): string =>
  `${metric} * on (instance) group_left () perch_build_info{component="${component}", instance=~"$instance"}`;

/** The service of an instance. */
export const withComponent = (metric: string): string => `${metric} * on (instance) group_left (component) perch_build_info`;

/** For counters that are absent until they count something. */
export const orZero = (expression: string): string => `${expression} or vector(0)`;

function aggregate(operator: string, by: string | undefined): string {
  return by === undefined ? operator : `${operator} by (${by})`;
}

function matchers(where: string | undefined): string {
  return where === undefined ? '' : `{${where}}`;
}
