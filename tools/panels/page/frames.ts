/** Prometheus results as Grafana's data frames, like its Prometheus data source creates them. */
import { applyFieldOverrides, createDataFrame, FieldType, type DataFrame, type FieldConfig, type GrafanaTheme2 } from '@grafana/data';
import type { PageData, Panel, Query } from './page-data';

/** Returns one frame per series, on the grid of the range: a missing sample is null, so that lines have gaps. */
export function seriesFrames(panel: Panel, queries: readonly Query[], range: PageData['range'], theme: GrafanaTheme2): DataFrame[] {
  const times: number[] = [];
  for (let time = range.start; time <= range.end; time += range.step) times.push(time);
  const frames = queries.flatMap(({ refId, legend, series }) =>
    series.map(({ metric, values }) => {
      const byTime = new Map(values.map(([time, value]) => [Math.round(time), Number(value)]));
      const numbers = times.map((time) => finite(byTime.get(time)));
      const name = legend.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => metric[label] ?? '');
      return createDataFrame({
        refId,
        fields: [
          { name: 'Time', type: FieldType.time, values: times.map((time) => time * 1000), config: {} },
          { name: 'Value', type: FieldType.number, values: numbers, labels: metric, config: { ...configOf(panel), displayNameFromDS: name } },
        ],
      });
    }),
  );
  return prepared(frames, theme);
}

/** Returns one frame with a column for each label of the panel, in its order and under its titles. */
export function tableFrame(panel: Panel, queries: readonly Query[], theme: GrafanaTheme2): DataFrame {
  const { indexByName, renameByName } = panel.transformations!.find(({ id }) => id === 'organize')!.options;
  const rows = queries.flatMap(({ series }) => series);
  const columns = Object.keys(indexByName).sort((a, b) => indexByName[a]! - indexByName[b]!);
  const fields = columns.map((column) => {
    const name = renameByName[column] ?? column;
    if (column === 'Value') return { name, type: FieldType.number, values: rows.map(({ values }) => Number(values[0]![1])), config: configOf(panel) };
    return { name, type: FieldType.string, values: rows.map(({ metric }) => metric[column] ?? ''), config: {} };
  });
  return prepared([createDataFrame({ fields })], theme)[0]!;
}

function configOf({ fieldConfig }: Panel): FieldConfig {
  return fieldConfig.defaults as FieldConfig;
}

/** Adds what Grafana computes for each field: colours and formats. */
function prepared(data: DataFrame[], theme: GrafanaTheme2): DataFrame[] {
  const fieldConfig = { defaults: {}, overrides: [] };
  return applyFieldOverrides({ data, fieldConfig, theme, replaceVariables: (text) => text, timeZone: 'utc' });
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
