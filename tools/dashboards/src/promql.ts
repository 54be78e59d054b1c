/** Rates use `$__rate_interval`, which Grafana adapts to the scrape interval. */

/** Labels that tell installations apart (docs/operate/monitoring.md). Set them in your copy, then `npx pnpm -r run generate`. The Helm chart has a value for them. */
export const groupBy: readonly string[] = ['namespace'];
const chosen = groupBy.map((label) => `${label}=~"$${label}"`).join(', ');

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
  `${metric} * on (instance, ${groupBy.join(', ')}) group_left () perch_build_info{component="${component}", instance=~"$instance"}`;

/** The service of an instance. */
export const withComponent = (metric: string): string => `${metric} * on (instance, ${groupBy.join(', ')}) group_left (component) perch_build_info`;

/** For counters that are absent until they count something. No data where no instance answers: a 0 would hide that. */
export const orZero = (expression: string): string => `${expression} or 0 * count(perch_build_info)`;

/**
 * Of the installations that the page's variables choose; all of them match a missing label as well. Metrics of HAProxy and redis_exporter have
 * labels of their own. The watchdog belongs to no installation.
 */
export const ofInstallations = (expression: string): string =>
  expression
    .replaceAll(/\b(?:perch[_:][a-z0-9_:]+|process_[a-z_]+|ALERTS(?!\{alertname="))(\{)?/g, (selector, brace?: string) =>
      brace === undefined ? `${selector}{${chosen}}` : `${selector}${chosen}, `,
    )
    .replaceAll(', }', '}');

function aggregate(operator: string, by: string | undefined): string {
  return by === undefined ? operator : `${operator} by (${by})`;
}

function matchers(where: string | undefined): string {
  return where === undefined ? '' : `{${where}}`;
}
