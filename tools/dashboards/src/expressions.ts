/** The expressions of a dashboard, with Grafana's variables filled in: shared by tests and tools/panels. */
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dataquery as PrometheusQuery } from '@grafana/grafana-foundation-sdk/prometheus';

export interface Expression {
  page: string;
  panel: Panel;
  /** Ref id of the query in its panel: A, B, and so on. */
  refId: string;
  expr: string;
  /** Name of its series. */
  legend: string;
  /** Evaluated at one time, as for tables, instead of over a range. */
  instant: boolean;
}

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
  /** Window of rates, s: Grafana uses at least four scrape intervals. */
  rateS: number;
  /** Values of variables, as regular expressions. Default: all. */
  variables?: Record<string, string>;
}

/** Fills in windows and values of variables, as Grafana would. */
export function fillIn(expr: string, { rangeS, rateS, variables = {} }: Setting): string {
  return expr
    .replaceAll('$__rate_interval', `${rateS}s`)
    .replaceAll('$__range', `${rangeS}s`)
    .replaceAll(/"\$(?!_)(\w+)"/g, (_, name: string) => `"${variables[name] ?? '.*'}"`);
}
