/** With Grafana's variables filled in: shared by tests and tools/panels. */
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dataquery as PrometheusQuery } from '@grafana/grafana-foundation-sdk/prometheus';

export interface Expression {
  page: string;
  panel: Panel;
  refId: string;
  expr: string;
  legend: string;
  /** As for tables, instead of over a range. */
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
  rangeS: number;
  /** Grafana uses at least four scrape intervals. */
  rateS: number;
  /** As regular expressions. Default: all. */
  variables?: Record<string, string>;
}

export function fillIn(expr: string, { rangeS, rateS, variables = {} }: Setting): string {
  return expr
    .replaceAll('$__rate_interval', `${rateS}s`)
    .replaceAll('$__range', `${rangeS}s`)
    .replaceAll(/"\$(?!_)(\w+)"/g, (_, name: string) => `"${variables[name] ?? '.*'}"`);
}
