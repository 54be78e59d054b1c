/**
 * Bundles each program of a service into one file of its `dist`: a process that reads one file starts in a third of the time of one that resolves and
 * reads a thousand (docs/decisions/operations.md). The types are checked by `tsc -b tsconfig.build.json`, which writes no JavaScript for services.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import process from 'node:process';
import { context } from 'esbuild';

export const services = ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge', 'probe'];

/** Programs of each service: main.js, and the programs of its child processes. */
const programs = { renderer: ['main', 'render-main'] };

/** Packages with native code, which are loaded when the service runs. */
const external = ['@node-rs/argon2', 'canvas'];
/** Bundles of builds that follow one another at once are kept for processes that are being started meanwhile, ms. */
const keptMs = 60_000;

/**
 * Opens a bundler of one service, whose `bundle()` writes for each program its bundle, `main-<hash>.bundle.js`, and the program that runs it, `main.js`.
 * @param options.replaced paths of modules by the packages that they stand in for @param options.prefix of the programs' names
 * @returns {bundle, close}: `bundle` returns whether it succeeded, and prints errors
 */
export async function openBundler(root, service, { replaced = {}, prefix = '' } = {}) {
  const folder = join(root, 'services', service);
  const outdir = join(folder, 'dist');
  const names = programs[service] ?? ['main'];
  const bundler = await context({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: join(folder, `src/${name}.ts`), out: `${prefix}${name}` })),
    outdir,
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.bundle.js' },
    bundle: true,
    write: false,
    // V8 keeps a cache of scripts, but of ES modules only from Node 22 on.
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Cached scripts cannot import: external packages are required.
    supported: { 'dynamic-import': false },
    conditions: ['source'],
    alias: replaced,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    // A module that is imported for its effects alone would be missing from the bundle.
    logOverride: { 'ignored-bare-import': 'error' },
    // A function, as Node makes of a CommonJS module.
    banner: {
      js: "(function (exports, require, module, __filename, __dirname) { const bundleUrl = require('node:url').pathToFileURL(__filename).href;",
    },
    footer: { js: '})' },
    plugins: [ownUrls(root, outdir), imported(root, folder)],
  });
  return {
    async bundle() {
      const result = await bundler.rebuild().catch(() => null);
      if (result === null) return false;
      mkdirSync(outdir, { recursive: true });
      const template = readFileSync(join(root, 'scripts/bundled-program.mjs'), 'utf8');
      // A process that is being started may have read the name of the bundle that this one replaces.
      const kept = names.flatMap((name) => bundleOf(join(outdir, `${prefix}${name}.js`)));
      const written = [];
      for (const { path, text } of result.outputFiles) written.push(write(path, path.endsWith('.js') ? inAscii(text) : text));
      for (const name of names.map((each) => `${prefix}${each}`)) {
        const bundle = written.find((file) => file.startsWith(`${name}-`) && file.endsWith('.bundle.js'));
        written.push(write(join(outdir, `${name}.js`), template.replace('BUNDLE_NAME', bundle)));
      }
      if (prefix === '') removeOthers(outdir, [...written, ...kept]);
      return true;
    },
    close: () => bundler.dispose(),
  };
}

/** Escapes what esbuild leaves, in comments and regular expressions: a text that is all ASCII takes half the memory and time to read and to compile. */
function inAscii(text) {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces a file at once: a process that starts meanwhile reads a whole one. @returns its name */
function write(path, contents) {
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
  return basename(path);
}

export async function bundleServices(root) {
  const done = await Promise.all(
    services.map(async (service) => {
      const { bundle, close } = await openBundler(root, service);
      const ok = await bundle();
      await close();
      return ok;
    }),
  );
  return done.every(Boolean);
}

/** Gives `import.meta.url` of each module the value that it has in the compiled package, so that it finds the files beside it. */
function ownUrls(root, outdir) {
  return {
    name: 'own URLs',
    setup(build) {
      build.onLoad({ filter: /[/\\](?:packages|services)[/\\][^/\\]+[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes('import.meta.url')) return undefined;
        const compiled = relative(root, path)
          .replace(/([/\\])src([/\\])/, '$1dist$2')
          .replace(/\.ts$/, '.js');
        const url = `new URL('${relative(outdir, join(root, compiled)).replaceAll(sep, '/')}', bundleUrl).href`;
        return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' };
      });
    },
  };
}

/** Imports the external packages of another package of ours from its folder: pnpm links them nowhere else. */
function imported(root, folder) {
  return {
    name: 'external packages',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(?:${external.join('|')})$`) }, ({ path, resolveDir }) => {
        if (existsSync(join(folder, 'node_modules', path))) return { path, external: true };
        const [parent, name] = relative(root, resolveDir).split(sep);
        const installed = join(root, parent, name, 'node_modules', path);
        const { main = 'index.js' } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
        return { path: relative(join(folder, 'dist'), join(installed, main)).replaceAll(sep, '/'), external: true };
      });
    },
  };
}

/** @returns the name of the bundle that a program runs, in a list; empty if there is none */
function bundleOf(program) {
  if (!existsSync(program)) return [];
  return readFileSync(program, 'utf8').match(/(?<=')[\w.-]+\.bundle\.js(?=')/g) ?? [];
}

/** Removes earlier bundles with their caches, and whatever else is in the folder. */
function removeOthers(outdir, kept) {
  const outdated = Date.now() - keptMs;
  for (const entry of readdirSync(outdir)) {
    if (kept.some((file) => entry === file || (file.endsWith('.bundle.js') && entry.startsWith(`${file}.`)))) continue;
    const path = join(outdir, entry);
    // Another build may remove it at the same time.
    const age = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (age < outdated) rmSync(path, { recursive: true, force: true });
  }
}
