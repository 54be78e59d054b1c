/** The published packages, and the manifests that are published: what their users need, without what only this repository has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/**
 * `folder` of the repository, and the name under which it is published. The command line is one bundle: the packages of this repository that it needs are
 * not published (docs/decisions/tools.md).
 */
export const published = [
  { folder: 'packages/client', name: '@perch/client', contents: ['dist', 'src'] },
  { folder: 'packages/virtual-robot', name: '@perch/virtual-robot', contents: ['dist', 'src'] },
  { folder: 'packages/cli', name: 'perch', bundled: true, bin: { perch: 'dist/main.js' }, contents: ['dist', 'lua', 'robot-program'] },
];

/** Written where no repository is known. Such packages are never published. */
const noRepository = 'https://example.org/perch';

/** Returns the address of the repository, without `.git`: of PERCH_REPOSITORY or of GitHub's actions, which provenance compares it with. */
export function repositoryOf(environment = process.env) {
  const { PERCH_REPOSITORY, GITHUB_SERVER_URL, GITHUB_REPOSITORY } = environment;
  const github = GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : '';
  const url = (PERCH_REPOSITORY || github || noRepository).replace(/(?:\.git)?\/*$/, '');
  return { url, isKnown: url !== noRepository };
}

/** Returns the manifest that is published for a package of the workspace. @param catalog versions by package, of pnpm-workspace.yaml */
export function publishedManifest(root, { folder, name, bundled = false, bin, contents }, { catalog, repository }) {
  const source = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { version, description, keywords, license, type, sideEffects, engines } = source;
  const outside = Object.entries(source.dependencies ?? {}).filter(([, range]) => !range.startsWith('workspace:'));
  const dependencies = Object.fromEntries(outside.map(([each, range]) => [each, range === 'catalog:' ? catalog[each] : range]));
  return withoutUndefined({
    name,
    version,
    description,
    keywords,
    homepage: `${repository}/tree/v${version}/${folder}#readme`,
    bugs: `${repository}/issues`,
    license,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    bin,
    files: [...contents, ...(bundled ? ['THIRD-PARTY-LICENSES.txt'] : []), 'CHANGELOG.md'],
    type,
    sideEffects,
    // `main` is for tools that do not read `exports`: Metro before 0.82, eslint-plugin-import.
    ...(!bundled && { main: './dist/index.js', types: './dist/index.d.ts', exports: publishedExports(source.exports) }),
    publishConfig: { access: 'public', provenance: true },
    // Its own packages are in the bundle. Native code cannot be, and only `perch account` needs it, for passwords.
    ...(bundled
      ? { optionalDependencies: { '@node-rs/argon2': catalog['@node-rs/argon2'] } }
      : Object.keys(dependencies).length > 0 && { dependencies }),
    engines: engines ?? { node: '>=20.19' },
  });
}

/** Leaves out the condition `source`, with which this repository runs its tests. */
function publishedExports(given) {
  return Object.fromEntries(
    Object.entries({ ...given, './package.json': './package.json' }).map(([path, target]) => {
      if (typeof target === 'string') return [path, target];
      const { source: _, ...rest } = target;
      return [path, rest];
    }),
  );
}

function withoutUndefined(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Returns the text of a page whose links to other files of the repository are addresses. */
export function withAddresses(text, folder, version, repository) {
  return text.replaceAll(/\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]+)?\)/g, (_, path, heading = '') => {
    const target = join(folder, path).replaceAll('\\', '/');
    return `](${repository}/${/\.\w+$/.test(target) ? 'blob' : 'tree'}/v${version}/${target}${heading})`;
  });
}
