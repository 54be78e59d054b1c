/** Generated files of the chart. Rules and dashboards are copies: Helm reads only files in the chart, and symbolic links may get lost. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFolder } from './render-chart.js';
import { secretSettingsYaml, settingServicesYaml } from './setting-services.js';

const deployFolder = fileURLToPath(new URL('../../../deploy', import.meta.url));
/** The chart has its own numbers of instances and load balancers in place of those of docker-compose.yml. */
export const rulesOfCompose = ['balancer.yml', 'expected.yml'];
const copied = [
  { folder: 'rules', source: 'prometheus/rules', suffix: '.yml', except: rulesOfCompose },
  { folder: 'grafana', source: 'grafana', suffix: '.json', except: [] },
];

const ownFiles = new Map([
  ['settings.yaml', settingServicesYaml],
  ['secret-settings.yaml', secretSettingsYaml],
]);

/** By path below the chart's `files`. */
export function chartFiles(): Map<string, string> {
  const files = new Map([...ownFiles].map(([name, write]) => [name, write()]));
  for (const { folder, source, suffix, except } of copied) {
    for (const name of namesIn(join(deployFolder, source)))
      if (name.endsWith(suffix) && !except.includes(name)) files.set(`${folder}/${name}`, readFileSync(join(deployFolder, source, name), 'utf8'));
  }
  return files;
}

/** Includes files in the folders of copies that should not be there. */
export function chartFilesThere(): Map<string, string> {
  const paths = [
    ...ownFiles.keys(),
    ...copied.flatMap(({ folder }) => namesIn(join(chartFolder, 'files', folder)).map((name) => `${folder}/${name}`)),
  ];
  return new Map(paths.map((path) => [path, readFileSync(join(chartFolder, 'files', path), 'utf8')]));
}

export function writeChartFiles(): void {
  for (const { folder } of copied) rmSync(join(chartFolder, 'files', folder), { recursive: true, force: true });
  for (const [path, text] of chartFiles()) {
    const file = join(chartFolder, 'files', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
