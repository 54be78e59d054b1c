import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
  type Dashboard,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboardTag, pageMenu, pageUids, type PageName } from './links.js';
import { dataSource, type PlacedPanel } from './panel.js';
import { groupBy, ofInstallations } from './promql.js';

export interface Section {
  title: string;
  panels: readonly PlacedPanel[];
}

export interface Variable {
  name: string;
  label: string;
  description: string;
  /** `label_values(METRIC, LABEL)`. Several, or all, can be chosen; expressions use the variable with `=~`. */
  values: string;
  /** Default: all values. */
  opensWith?: 'all' | 'first';
}

export interface PageSpec {
  name: PageName;
  title: string;
  description: string;
  variables?: readonly Variable[];
  /** Default: now-1h. */
  from?: string;
  sections: readonly Section[];
}

export interface Page {
  name: PageName;
  dashboard: Dashboard;
}

/** Newer versions of Grafana convert it on loading, while older ones cannot read newer ones. */
const schemaVersion = 39;

export function createPage({ name, title, description, variables = [], from = 'now-1h', sections }: PageSpec): Page {
  const builder = new DashboardBuilder(title)
    .uid(pageUids[name])
    .description(description)
    .tags([dashboardTag])
    .time({ from, to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .editable()
    .link(pageMenu())
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('Data source').description('The Prometheus that scrapes Perch.').type('prometheus'),
    );
  for (const label of groupBy) builder.withVariable(queryVariable(installationVariable(label)));
  for (const variable of variables) builder.withVariable(queryVariable({ ...variable, values: ofInstallations(variable.values) }));
  let id = 0;
  for (const section of sections) {
    builder.withRow(new RowBuilder(section.title).id(++id));
    for (const panel of section.panels) builder.withPanel(panel.id(++id));
  }
  return { name, dashboard: { ...builder.build(), schemaVersion } };
}

function installationVariable(label: string): Variable {
  return {
    name: label,
    label: `Installation: ${label}`,
    description: 'Tells installations apart that one Prometheus scrapes.',
    values: `label_values(perch_build_info, ${label})`,
  };
}

function queryVariable({ name, label, description, values, opensWith = 'all' }: Variable): QueryVariableBuilder {
  const builder = new QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(dataSource)
    .query({ query: values, refId: name })
    .definition(values)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true);
  if (opensWith === 'all') builder.includeAll(true).allValue('.*').current({ selected: true, text: 'All', value: '$__all' });
  return builder;
}

export function instanceVariable(component: string): Variable {
  return {
    name: 'instance',
    label: 'Instance',
    description: 'Address of the admin port of an instance, as Prometheus knows it.',
    values: `label_values(perch_build_info{component="${component}"}, instance)`,
  };
}
