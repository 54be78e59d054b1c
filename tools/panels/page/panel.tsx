/** One panel, rendered by Grafana's component for its type. */
import {
  dateTime,
  getFieldDisplayValues,
  getDisplayValueAlignmentFactors,
  VizOrientation,
  type DataFrame,
  type FieldDisplay,
  type TimeRange,
} from '@grafana/data';
import { BarGauge, BigValue, PanelChrome, TimeSeries, useTheme2, VizRepeater } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import type { ReactNode } from 'react';
import { seriesFrames, tableFrame } from './frames';
import type { PageData, Panel, Query } from './page-data';

interface DrawnPanelProps {
  panel: Panel;
  queries: readonly Query[];
  range: PageData['range'];
  width: number;
  height: number;
}

interface VizProps {
  panel: Panel;
  frames: DataFrame[];
  range: PageData['range'];
  width: number;
  height: number;
}

export function DrawnPanel({ panel, queries, range, width, height }: DrawnPanelProps): ReactNode {
  const theme = useTheme2();
  const full = queries.some(({ series }) => series.length > 0);
  return (
    <PanelChrome title={panel.title} description={panel.description ?? ''} width={width} height={height}>
      {(innerWidth, innerHeight) => {
        const size = { width: innerWidth, height: innerHeight };
        if (!full) return <NoData {...size} />;
        if (panel.type === 'table') return <TableNG data={tableFrame(panel, queries, theme)} {...size} />;
        const frames = seriesFrames(panel, queries, range, theme);
        if (panel.type === 'timeseries') return <Lines panel={panel} frames={frames} range={range} {...size} />;
        if (panel.type === 'stat') return <Stat panel={panel} frames={frames} range={range} {...size} />;
        if (panel.type === 'bargauge') return <Bars panel={panel} frames={frames} range={range} {...size} />;
        throw new Error(`${panel.title}: nothing here draws panels of the type ${panel.type}`);
      }}
    </PanelChrome>
  );
}

function NoData({ width, height }: { width: number; height: number }): ReactNode {
  return <div style={{ width, height, display: 'flex', alignItems: 'center', justifyContent: 'center', opacity: 0.7 }}>No data</div>;
}

function Lines({ panel, frames, range, width, height }: VizProps): ReactNode {
  return (
    <TimeSeries
      frames={frames}
      timeRange={timeRangeOf(range)}
      timeZone="utc"
      width={width}
      height={height}
      legend={panel.options.legend}
      options={panel.options}
    >
      {() => null}
    </TimeSeries>
  );
}

function Stat({ panel, frames, width, height }: VizProps): ReactNode {
  const theme = useTheme2();
  const { colorMode, graphMode, justifyMode, textMode } = panel.options;
  const getValues = (): FieldDisplay[] => valuesOf(panel, frames, theme, graphMode !== 'none');
  return (
    <VizRepeater
      getValues={getValues}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      renderValue={({ value, width, height, count, alignmentFactors }) => (
        <BigValue
          value={value.display}
          sparkline={value.sparkline}
          count={count}
          alignmentFactors={count > 1 ? alignmentFactors : undefined}
          theme={theme}
          width={width}
          height={height}
          colorMode={colorMode}
          graphMode={graphMode}
          justifyMode={justifyMode}
          textMode={textMode}
        />
      )}
      width={width}
      height={height}
      source={frames}
      renderCounter={0}
      orientation={VizOrientation.Auto}
      autoGrid
    />
  );
}

function Bars({ panel, frames, width, height }: VizProps): ReactNode {
  const theme = useTheme2();
  return (
    <VizRepeater
      getValues={() => valuesOf(panel, frames, theme, false)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      renderValue={({ value, width, height, alignmentFactors, orientation }) => (
        <BarGauge
          value={value.display}
          field={value.field}
          alignmentFactors={alignmentFactors}
          theme={theme}
          width={width}
          height={height}
          orientation={orientation}
          displayMode={panel.options.displayMode}
          itemSpacing={8}
        />
      )}
      width={width}
      height={height}
      source={frames}
      renderCounter={0}
      orientation={panel.options.orientation}
      minVizWidth={75}
      minVizHeight={16}
      maxVizHeight={60}
      itemSpacing={8}
    />
  );
}

function valuesOf(panel: Panel, data: DataFrame[], theme: ReturnType<typeof useTheme2>, sparkline: boolean): FieldDisplay[] {
  return getFieldDisplayValues({
    data,
    theme,
    sparkline,
    reduceOptions: panel.options.reduceOptions,
    fieldConfig: { defaults: panel.fieldConfig.defaults, overrides: [] },
    replaceVariables: (text) => text,
    timeZone: 'utc',
  });
}

function timeRangeOf({ start, end }: PageData['range']): TimeRange {
  const [from, to] = [dateTime(start * 1000), dateTime(end * 1000)];
  return { from, to, raw: { from, to } };
}
