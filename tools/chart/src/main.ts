/** `npm run chart`. Exit code 0: all checks passed; 1: a check failed; 3: it cannot run here. */
import { playChart } from './play-chart.js';
import { whyNoImages } from './podman-pods.js';
import { findTemplateEngine } from './template-engine.js';

const help = `Runs the pods of deploy/helm/perch with podman: npm run chart -- [--registry NAME] [--tag TAG]
  --registry NAME  where the images are: NAME/perch/gateway and so on (default: localhost)
  --tag TAG        tag of the images (default: latest)
Needs podman, the images, redis-server, and helm or Debian's golang-go and golang-github-masterminds-sprig-dev.
`;

async function main(args: readonly string[]): Promise<number> {
  const options: Record<string, string> = { '--registry': 'localhost', '--tag': 'latest' };
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [args[i]!, args[i + 1]];
    if (name === '--help' || options[name] === undefined || value === undefined) {
      process.stdout.write(help);
      return name === '--help' ? 0 : 2;
    }
    options[name] = value;
  }
  const { '--registry': registry = '', '--tag': tag = '' } = options;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const engine = findTemplateEngine(process.env);
  const images = ['gateway', 'robot-link', 'renderer', 'webhooks', 'perch'].map((name) => `${registry}/perch/${name}:${tag}`);
  const why = 'missing' in engine ? `charts cannot be rendered: ${engine.missing}` : await whyNoImages(images);
  if ('missing' in engine || why !== null) {
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
    process.stderr.write(`chart: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
