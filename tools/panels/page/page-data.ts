/** The used part of the file that tools/dashboards writes for `npm run panels`. */

export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig: { defaults: Record<string, unknown> };
  // oxlint-disable-next-line no-explicit-any -- Grafana's options differ by type of panel
  options: any;
  transformations?: { id: string; options: { indexByName: Record<string, number>; renameByName: Record<string, string> } }[];
}

export interface Query {
  id: number;
  refId: string;
  legend: string;
  series: { metric: Record<string, string>; values: [number, string][] }[];
}

export interface PageData {
  name: string;
  dashboard: {
    title: string;
    panels: Panel[];
    templating: { list: { name: string; label: string }[] };
  };
  /** Values of variables; missing ones have all. */
  variables: Record<string, string>;
  /** Seconds since 1970. */
  range: { start: number; end: number; step: number };
  queries: Query[];
}
