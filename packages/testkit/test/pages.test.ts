import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allDocumentedSettings } from '@perch/testkit';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const readmes = ['packages', 'services'].flatMap((parent) => filesIn(parent, (name) => name === 'README.md'));
const folders = ['.', 'docs', 'examples', 'examples/robots', 'clients/python', ...within('docs').map((name) => join('docs', name))];
const pages = [
  ...readmes,
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

describe('the pages', () => {
  it('links only to existing files and headings', () => {
    const links = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?(\))?/g)].map(([, to, at, end]) => ({ page, to: to!, at, end })),
    );
    assert.ok(links.length > 30, `${links.length} links`);
    const broken = links.filter(({ page, to, at, end }) => {
      if (end === undefined) return true;
      const target = to === '' ? page : relative(root, join(root, dirname(page), to));
      if (!existsSync(join(root, target))) return true;
      return at !== undefined && !headingsOf(target).includes(at);
    });
    assert.deepEqual(broken, []);
  });

  it('leads to every page of docs in at most two links from the README', () => {
    const near = new Set(linkedPages('README.md').flatMap((page) => [page, ...linkedPages(page)]));
    assert.deepEqual(
      filesIn('docs', (name) => name.endsWith('.md')).filter((page) => !near.has(page)),
      [],
    );
  });

  it('has a page of at most 1,500 words for each task of an operator, which docs/operate/README.md links', () => {
    const names = readdirSync(join(root, 'docs/operate'));
    assert.ok(names.length > 20, names.join());
    const wordsOf = (name: string): number => (readFileSync(join(root, 'docs/operate', name), 'utf8').match(/\S+/g) ?? []).length;
    assert.deepEqual(
      names.map((name) => [name, wordsOf(name)] as const).filter(([, words]) => words > 1500),
      [],
    );
    const linked = new Set([...proseOf('docs/operate/README.md').matchAll(/\]\(([\w-]+\.md)(?:#[^)]*)?\)/g)].map(([, name]) => name!));
    assert.deepEqual(
      names.filter((name) => name !== 'README.md' && !linked.has(name)),
      [],
    );
  });

  it('names on the page about secrets every setting that is one, and the setting that names its file', () => {
    const page = readFileSync(join(root, 'docs/operate/secrets.md'), 'utf8');
    const secrets = allDocumentedSettings().flatMap(({ env, description }) => (description.includes(`${env}_FILE`) ? [env, `${env}_FILE`] : []));
    assert.ok(secrets.length > 10, secrets.join());
    assert.deepEqual(
      secrets.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  it('contains every document that comments in the source name', () => {
    const cited = sources('.').flatMap((file) =>
      [...commentsOf(file).matchAll(/(?<![\w/.-])((?:\.{0,2}\/)?[\w-][\w./-]*\.md)\b/g)].map(([, name]) => ({ file, name: name! })),
    );
    assert.ok(cited.length > 20, `${cited.length} documents named`);
    const missing = cited.filter(
      ({ file, name }) => ![name, join(dirname(file), name), join('docs', name)].some((path) => existsSync(join(root, path))),
    );
    assert.deepEqual(missing, []);
  });

  it('lists in ARCHITECTURE.md exactly the existing packages, services and tools', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    for (const parent of ['packages', 'services', 'tools']) {
      const named = new Set([...text.matchAll(new RegExp(`\\b${parent}/([a-z0-9-]+)`, 'g'))].map(([, name]) => name!));
      const there = within(parent).filter((name) => existsSync(join(root, parent, name, 'package.json')));
      assert.deepEqual([...named].toSorted(), there, parent);
    }
  });
});

const commentShapes: Readonly<Record<string, RegExp>> = {
  ts: /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g,
  lua: /--.*/g,
  py: /#.*|"""[\s\S]*?"""/g,
};
const shapeOfKind: Readonly<Record<string, string>> = { ts: 'ts', tsx: 'ts', mjs: 'ts', cjs: 'ts', js: 'ts', css: 'ts', lua: 'lua', py: 'py' };

function commentsOf(file: string): string {
  const shape = commentShapes[shapeOfKind[file.slice(file.lastIndexOf('.') + 1)]!]!;
  return [...readFileSync(join(root, file), 'utf8').matchAll(shape)].map(([comment]) => comment).join('\n');
}

function sources(folder: string): string[] {
  return filesIn(folder, (name) => shapeOfKind[name.slice(name.lastIndexOf('.') + 1)] !== undefined);
}

function filesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(?:\..*|node_modules|dist|coverage)$/.test(entry.name) ? [] : filesIn(path, isWanted);
    return isWanted(entry.name) ? [path] : [];
  });
}

function within(parent: string): string[] {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

function linkedPages(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
    .map(([, to]) => join(dirname(page), to!))
    .map((to) => (to.endsWith('.md') ? to : join(to, 'README.md')))
    .filter((to) => existsSync(join(root, to)));
}

function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
}

function headingsOf(page: string): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
