/** Builds the folders of the published packages, each as it is published, in a built clone. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { copyRobotProgram } from './robot-program.mjs';
import { published, publishedManifest, withAddresses } from './release-manifests.mjs';

/** @param out is emptied first @returns `{name, folder, version}` of each package */
export async function stagePackages(root, out, repository) {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  rmSync(out, { recursive: true, force: true });
  const staged = [];
  for (const one of published) {
    const folder = join(out, one.name.replace('/', '-').replace('@', ''));
    const manifest = publishedManifest(root, one, { catalog, repository });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    for (const page of ['README.md', 'CHANGELOG.md']) {
      const text = readFileSync(join(root, one.folder, page), 'utf8');
      writeFileSync(join(folder, page), withAddresses(text, one.folder, manifest.version, repository));
    }
    if (one.bundled === true) await bundleCommandLine(root, one.folder, folder);
    else for (const name of one.contents) cpSync(join(root, one.folder, name), join(folder, name), { recursive: true });
    staged.push({ name: one.name, folder, version: manifest.version });
  }
  return staged;
}

/** Bundles the command line into ES modules; what is loaded only by some commands, as the store, stays a module of its own. */
async function bundleCommandLine(root, source, folder) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: join(source, 'src/main.ts') },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['source'],
    external: ['@node-rs/argon2'],
    // Its other form passes `require` on, so that esbuild cannot see what is required.
    alias: { 'jsonc-parser': join(root, source, 'node_modules/jsonc-parser/lib/esm/main.js') },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    // Some of the bundled packages are CommonJS and require modules of Node.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
    plugins: [filesOfThePackage(root)],
  });
  cpSync(join(root, 'packages/store/lua'), join(folder, 'lua'), { recursive: true });
  await copyRobotProgram(root, join(folder, 'robot-program'));
  // As `perch robot sign` has written it with the key of the release: `perch robot install` installs it.
  const signed = process.env.PERCH_ROBOT_PROGRAM;
  if (signed) cpSync(signed, join(folder, 'robot-program/signed.json'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf(root, Object.keys(metafile.inputs)));
}

/** The modules of a bundle lie in `dist`, whatever the depth of their source: paths relative to a module are changed to match. */
function filesOfThePackage(root) {
  const moved = {
    'packages/store/src/redis/scripts.ts': ["'../../lua/'", "'../lua/'"],
    'packages/installer/src/node/program-folder.ts': ["'../../../../robots/micropython/'", "'../robot-program/'"],
  };
  return {
    name: 'files of the package',
    setup(bundle) {
      bundle.onLoad({ filter: /[/\\](?:packages)[/\\][^/\\]+[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        const place = relative(root, path).replaceAll(sep, '/');
        if (!contents.includes('import.meta.url')) return undefined;
        if (place === 'packages/cli/src/program.ts') return undefined;
        const [from, to] = moved[place] ?? [];
        if (from === undefined || !contents.includes(from))
          throw new Error(`${place} reads a file beside it: release-stage.mjs must say where it lies`);
        return { contents: contents.replace(from, to), loader: 'ts' };
      });
    },
  };
}

/** Returns the licenses of all packages of others in a bundle. */
function licensesOf(root, inputs) {
  const folders = new Set(inputs.filter((path) => path.includes('node_modules/')).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0]));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(root, folder, file), 'utf8').trim();
    return { name, text: `${name} ${version} (${license})\n\n${text}\n` };
  });
  return texts
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ text }) => text)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Copies the Python client to a folder in which it can be built, with the license and links of a package. */
export function stagePython(root, out, repository) {
  const source = 'clients/python';
  const folder = join(out, 'python');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, source), folder, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  const version = /^version = "(.+)"$/m.exec(readFileSync(join(folder, 'pyproject.toml'), 'utf8'))[1];
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const page of ['README.md', 'CHANGELOG.md'].filter((name) => existsSync(join(folder, name))))
    writeFileSync(join(folder, page), withAddresses(readFileSync(join(folder, page), 'utf8'), source, version, repository));
  const links = { Repository: repository, Documentation: `${repository}/tree/v${version}/${source}#readme`, Issues: `${repository}/issues` };
  const urls = Object.entries(links).map(([name, url]) => `${name} = "${url}"`);
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  writeFileSync(join(folder, 'pyproject.toml'), `${project.trimEnd()}\n\n[project.urls]\n${urls.join('\n')}\n`);
  mkdirSync(dirname(folder), { recursive: true });
  return folder;
}
