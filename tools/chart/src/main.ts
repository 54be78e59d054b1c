/** `npm run chart`. Exit code 0: all checks passed, or the chart is rendered; 1: a check failed, or the chart refuses the values; 3: it cannot run here. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ChartError } from './chart-values.js';
import { playChart } from './play-chart.js';
import { whyNoImages } from './podman-pods.js';
import { renderFile, yamlOf } from './render-chart.js';
import { findTemplateEngine } from './template-engine.js';

const help = `Usage: npm run chart -- [--registry NAME] [--tag TAG]
       npm run -s chart -- render -f FILE [--release NAME] [--namespace NAME]

Runs the pods of deploy/helm/perch with podman, or renders its objects as YAML, as helm template does, also where there is no Helm.
  --registry NAME   where the images are: NAME/perch/gateway and so on (default: localhost)
  --tag TAG         tag of the images (default: latest)
  -f, --values FILE your values
  --release NAME    name of the release (default: perch)
  --namespace NAME  (default: robots)
Needs helm, or Debian's golang-go and golang-github-masterminds-sprig-dev; to run the pods also podman, the images and redis-server.
`;

const options = {
  registry: { type: 'string', default: 'localhost' },
  tag: { type: 'string', default: 'latest' },
  values: { type: 'string', short: 'f' },
  release: { type: 'string', default: 'perch' },
  namespace: { type: 'string', default: 'robots' },
  help: { type: 'boolean', default: false },
} as const;

async function main(args: string[]): Promise<number> {
  const { values: given, positionals } = parseArgs({ args, options, allowPositionals: true });
  const render = positionals[0] === 'render';
  if (given.help || positionals.length > (render ? 1 : 0) || (render && given.values === undefined)) {
    process.stdout.write(help);
    return given.help ? 0 : 2;
  }
  const engine = findTemplateEngine(process.env);
  if ('missing' in engine) {
    process.stderr.write(`not run: charts cannot be rendered: ${engine.missing}\n`);
    return 3;
  }
  if (render && given.values !== undefined) {
    // npm runs scripts in the clone; a path is as the caller's shell means it.
    const file = resolve(process.env['INIT_CWD'] ?? '.', given.values);
    process.stdout.write(yamlOf(renderFile(engine, file, given.release, given.namespace)));
    return 0;
  }
  const { registry, tag } = given;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const images = ['gateway', 'robot-link', 'renderer', 'webhooks', 'perch'].map((name) => `${registry}/perch/${name}:${tag}`);
  const why = await whyNoImages(images);
  if (why !== null) {
    print(`not run: ${why}`);
    return 3;
  }
  const problems = await playChart({ engine, registry, tag, env: process.env, print });
  print(problems.length === 0 ? 'all checks passed' : `${problems.length} checks failed`);
  return problems.length === 0 ? 0 : 1;
}

// A closed pipe (`| head`) must not prevent the pods from being removed.
process.stdout.on('error', () => undefined);

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    // An option or a file that is wrong has a code; anything else is a fault of this program.
    const isUsers = error instanceof ChartError || (error as NodeJS.ErrnoException).code !== undefined;
    process.stderr.write(`chart: ${error instanceof Error ? (isUsers ? error.message : error.stack) : String(error)}\n`);
    process.exit(error instanceof ChartError ? 1 : 2);
  },
);
