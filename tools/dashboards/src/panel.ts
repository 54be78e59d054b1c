import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  SortOrder,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type Panel,
  type Threshold,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { linkToPage, linkToRunbook, type PageName, type Runbook } from './links.js';
import { ofInstallations } from './promql.js';
import { units, type Unit } from './units.js';

/** Chosen by the page's variable. */
export const dataSource = { type: 'prometheus', uid: '${datasource}' };

export interface Query {
  expr: string;
  /** Labels as `{{code}}`. */
  legend: string;
}

interface PanelSpec {
  title: string;
  /** Content and meaning, for the reader of the panel. */
  description: string;
  unit: Unit;
  queries: readonly Query[];
  /** Columns, of 24. */
  width?: number;
  /** Rows of 30 px. */
  height?: number;
  min?: number;
  max?: number;
  decimals?: number;
  thresholds?: readonly Threshold[];
  mappings?: readonly ValueMapping[];
  runbooks?: readonly Runbook[];
  page?: PageName;
}

/** Its page assigns id and position. */
export interface PlacedPanel extends Builder<Panel> {
  id(id: number): this;
}

interface CommonBuilder extends PlacedPanel {
  title(title: string): this;
  description(text: string): this;
  unit(unit: string): this;
  datasource(source: typeof dataSource): this;
  span(columns: number): this;
  height(rows: number): this;
  min(value: number): this;
  max(value: number): this;
  decimals(count: number): this;
  noValue(text: string): this;
  mappings(mappings: ValueMapping[]): this;
  thresholds(thresholds: ThresholdsConfigBuilder): this;
  links(links: ReturnType<typeof linkToPage>[]): this;
  withTarget(target: Builder<Dataquery>): this;
}

/** @param options stacked: areas on top of each other, for parts of a whole */
export function timeSeries(
  spec: PanelSpec,
  { stacked = false, legend = 'list' }: { stacked?: boolean; legend?: 'list' | 'table' } = {},
): PlacedPanel {
  const list = new VizLegendOptionsBuilder()
    .displayMode(legend === 'table' ? LegendDisplayMode.Table : LegendDisplayMode.List)
    .placement(legend === 'table' ? LegendPlacement.Right : LegendPlacement.Bottom)
    .showLegend(true)
    .calcs(legend === 'table' ? ['lastNotNull', 'max'] : []);
  const builder = new TimeSeriesBuilder()
    .colorScheme(bySeries())
    .legend(list)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .lineWidth(1)
    .fillOpacity(stacked ? 40 : 8)
    .gradientMode(GraphGradientMode.None)
    .showPoints(VisibilityMode.Never)
    .axisSoftMin(0);
  // Otherwise a line that is always 0 has an axis up to 100.
  const softMax = { [units.count]: 1, [units.perSecond]: 0.1, [units.bytes]: 1024, [units.times]: 1 }[spec.unit as string];
  if (softMax !== undefined) builder.axisSoftMax(softMax);
  if (stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  return withCommon(builder, { width: 12, height: 8, ...spec }, rangeQuery);
}

export function stat(spec: PanelSpec, { graph = true }: { graph?: boolean } = {}): PlacedPanel {
  const builder = new StatBuilder()
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .colorMode(BigValueColorMode.Value)
    .graphMode(graph ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .textMode(BigValueTextMode.Auto);
  return withCommon(builder, { width: 4, height: 4, ...spec }, rangeQuery);
}

export function bars(spec: PanelSpec): PlacedPanel {
  const builder = new BarGaugeBuilder()
    .colorScheme(bySeries())
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .displayMode(BarGaugeDisplayMode.Basic)
    .orientation(VizOrientation.Horizontal);
  return withCommon(builder, { width: 8, height: 8, ...spec }, rangeQuery);
}

/** Latest values with their labels as columns. @param columns name of each label to show -> its title */
export function table(spec: PanelSpec, { columns }: { columns: Record<string, string> }): PlacedPanel {
  const builder = new TableBuilder().withTransformation({
    id: 'organize',
    options: {
      excludeByName: { Time: true },
      indexByName: Object.fromEntries(Object.keys(columns).map((name, index) => [name, index])),
      renameByName: columns,
    },
  });
  return withCommon(builder, { width: 12, height: 8, ...spec }, tableQuery);
}

function bySeries(): FieldColorBuilder {
  return new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic);
}

type SizedSpec = PanelSpec & { width: number; height: number };

function withCommon<B extends CommonBuilder>(builder: B, spec: SizedSpec, query: (query: Query) => DataqueryBuilder): B {
  builder
    .title(spec.title)
    .description(spec.description)
    .unit(spec.unit)
    .datasource(dataSource)
    .span(spec.width)
    .height(spec.height)
    .noValue('no data')
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...(spec.thresholds ?? [{ color: 'green', value: null }])]));
  if (spec.min !== undefined) builder.min(spec.min);
  if (spec.max !== undefined) builder.max(spec.max);
  if (spec.decimals !== undefined) builder.decimals(spec.decimals);
  if (spec.mappings !== undefined) builder.mappings([...spec.mappings]);
  const links = [...(spec.page === undefined ? [] : [linkToPage(spec.page, 'More about it')]), ...(spec.runbooks ?? []).map(linkToRunbook)];
  if (links.length > 0) builder.links(links);
  spec.queries.forEach((each, index) =>
    builder.withTarget(
      query(each)
        .refId(String.fromCharCode(65 + index))
        .datasource(dataSource),
    ),
  );
  return builder;
}

function rangeQuery({ expr, legend }: Query): DataqueryBuilder {
  return new DataqueryBuilder().expr(ofInstallations(expr)).legendFormat(legend).range();
}

function tableQuery({ expr, legend }: Query): DataqueryBuilder {
  return new DataqueryBuilder().expr(ofInstallations(expr)).legendFormat(legend).instant().format(PromQueryFormat.Table);
}
