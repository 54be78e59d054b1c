/** The expressions of a dashboard, and what Grafana puts in for its variables: shared by tests and by tools/panels. */
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dataquery as PrometheusQuery } from '@grafana/grafana-foundation-sdk/prometheus';

export interface Expression {
  /** Uid of the page. */
  page: string;
  panel: Panel;
  /** Of the query in its panel: A, B, and so on. */
  refId: string;
  expr: string;
  /** Name of its series. */
  legend: string;
  /** Asked for one moment, as tables are, in place of a time range. */
  instant: boolean;
}

/** Returns the panels of a page; rows are only headings. */
export function panelsOf(dashboard: Dashboard): Panel[] {
  return (dashboard.panels ?? []).filter((panel): panel is Panel => panel.type !== 'row');
}

export function expressionsOf(dashboard: Dashboard): Expression[] {
  return panelsOf(dashboard).flatMap((panel) =>
    (panel.targets ?? []).map((target) => {
      const { refId = '', expr = '', legendFormat: legend = '', instant = false } = target as Partial<PrometheusQuery>;
      return { page: dashboard.uid ?? '', panel, refId, expr, legend, instant };
    }),
  );
}

export interface Setting {
  /** Length of the time range of the page, s. */
  rangeS: number;
  /** Window of rates, s: Grafana takes at least four scrape intervals. */
  rateS: number;
  /** Values of variables, as regular expressions. Default: all. */
  variables?: Record<string, string>;
}

/** Puts in what Grafana would: windows, and values of variables. */
export function fillIn(expr: string, { rangeS, rateS, variables = {} }: Setting): string {
  return expr
    .replaceAll('$__rate_interval', `${rateS}s`)
    .replaceAll('$__range', `${rangeS}s`)
    .replaceAll(/"\$(?!_)(\w+)"/g, (_, name: string) => `"${variables[name] ?? '.*'}"`);
}
