import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import type { PrometheusServer, Series } from '@perch/testkit';
import { expressionsOf, fillIn, type Expression, type Setting } from '../expressions.js';

export interface QueryData {
  id: number;
  refId: string;
  legend: string;
  series: Series[];
}

export interface PageData {
  dashboard: Dashboard;
  /** Missing variables have all values. */
  variables: Record<string, string>;
  /** Seconds since 1970. */
  range: { start: number; end: number; step: number };
  queries: QueryData[];
}

/** @param end seconds since 1970 @param step s */
export async function readPage(prometheus: PrometheusServer, dashboard: Dashboard, setting: Setting, end: number, step: number): Promise<PageData> {
  const range = { start: end - setting.rangeS, end, step };
  const queries = await Promise.all(expressionsOf(dashboard).map((expression) => readQuery(prometheus, expression, setting, range)));
  return { dashboard, variables: setting.variables ?? {}, range, queries };
}

async function readQuery(prometheus: PrometheusServer, expression: Expression, setting: Setting, range: PageData['range']): Promise<QueryData> {
  const { panel, refId, legend, instant } = expression;
  const expr = fillIn(expression.expr, setting);
  const series = await (instant ? prometheus.query(expr) : prometheus.queryRange(expr, range));
  return { id: panel.id!, refId, legend, series: series.filter(hasNumbers) };
}

/** No query of these panels has a number. */
export function emptyPanels({ dashboard, queries }: PageData): string[] {
  const full = new Set(queries.filter(({ series }) => series.length > 0).map(({ id }) => id));
  return (dashboard.panels ?? []).filter((panel) => panel.type !== 'row' && !full.has(panel.id!)).map((panel) => panel.title ?? '');
}

/** 0 / 0 is NaN: a ratio without any data. */
function hasNumbers({ values }: Series): boolean {
  return values.some(([, value]) => Number.isFinite(Number(value)));
}
