/** Helm, or a small Go program (go/main.go) with Debian's sprig package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolCache } from '@perch/local-redis';
import { parseAllDocuments } from 'yaml';
import { ChartError, type Values } from './chart-values.js';

export interface RenderRequest {
  chart: string;
  release: string;
  namespace: string;
  values: Values;
}

export interface TemplateEngine {
  name: 'helm' | 'go';
  /** @throws {ChartError} if a template fails */
  render(request: RenderRequest): unknown[];
  /** Returns what is printed after an installation. Helm without a cluster cannot tell. */
  notes?(request: RenderRequest): string;
}

const program = fileURLToPath(new URL('../go/main.go', import.meta.url));
/** Folder into which Debian's and Ubuntu's golang-github-*-dev packages install. */
const goPath = '/usr/share/gocode';

export function findTemplateEngine(env: NodeJS.ProcessEnv): TemplateEngine | { missing: string } {
  if (runs('helm', ['version'])) return { name: 'helm', render: renderWithHelm };
  if (!runs('go', ['version'])) return { missing: 'neither helm nor go is on PATH' };
  if (!existsSync(join(goPath, 'src/github.com/Masterminds/sprig'))) return { missing: 'golang-github-masterminds-sprig-dev is not installed' };
  const binary = buildOnce(env);
  const render = (request: RenderRequest): Templates => renderWithGo(binary, request);
  return {
    name: 'go',
    render: (request) => Object.entries(render(request)).flatMap(([file, text]) => (file === notesFile ? [] : objectsIn(text, file))),
    notes: (request) => render(request)[notesFile] ?? '',
  };
}

function runs(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function buildOnce(env: NodeJS.ProcessEnv): string {
  const hash = createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 16);
  const folder = join(toolCache(env), 'helm-render');
  const binary = join(folder, hash);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const unfinished = mkdtempSync(join(folder, 'building-'));
  try {
    const built = join(unfinished, 'helm-render');
    execFileSync('go', ['build', '-o', built, program], {
      // Without modules: everything comes from Debian's folder, nothing is downloaded.
      env: { ...env, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', GOCACHE: join(folder, 'go-cache') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(built, binary);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return binary;
}

/** Rendered text by file. */
type Templates = Record<string, string>;

const notesFile = 'templates/NOTES.txt';

function renderWithGo(binary: string, request: RenderRequest): Templates {
  const { status, stdout, stderr } = spawnSync(binary, [], { input: JSON.stringify(request), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new ChartError(withoutTemplates(stderr.trim()));
  return JSON.parse(stdout) as Templates;
}

function renderWithHelm({ chart, release, namespace, values }: RenderRequest): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), 'perch-chart-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const args = ['template', release, chart, '--namespace', namespace, '--values', file];
    const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (status !== 0) throw new ChartError(withoutTemplates(stderr.trim()));
    return objectsIn(stdout, 'helm template');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the text that a template gives to `fail`, without the names of the templates around it; else the whole error */
function withoutTemplates(error: string): string {
  const before = 'error calling fail: ';
  const at = error.lastIndexOf(before);
  return at === -1 ? error : error.slice(at + before.length);
}

/** @throws {ChartError} if the text is not YAML, or has a duplicate key */
function objectsIn(text: string, file: string): unknown[] {
  const documents = parseAllDocuments(text, { uniqueKeys: true, strict: true });
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new ChartError(`${file}: ${error.message}`);
    const object: unknown = document.toJS();
    return object === null ? [] : [object];
  });
}
