/** The project's pages: what they point at is there. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['.', 'docs', 'examples', ...['packages', 'clients'].flatMap((parent) => within(parent).map((name) => join(parent, name)))];
const pages = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

describe('the pages', () => {
  it('link to files that are there, and to headings they have', () => {
    const links = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, to, at]) => ({ page, to: to!, at })),
    );
    assert.ok(links.length > 30, `${links.length} links`);
    const broken = links.filter(({ page, to, at }) => {
      const target = to === '' ? page : relative(root, join(root, dirname(page), to));
      if (!existsSync(join(root, target))) return true;
      return at !== undefined && !headingsOf(target).includes(at);
    });
    assert.deepEqual(broken, []);
  });

  it('show in ARCHITECTURE.md every package, every service and no other', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    for (const parent of ['packages', 'services']) {
      const named = new Set([...text.matchAll(new RegExp(`\\b${parent}/([a-z0-9-]+)`, 'g'))].map(([, name]) => name!));
      const there = within(parent).filter((name) => existsSync(join(root, parent, name, 'package.json')));
      assert.deepEqual([...named].toSorted(), there, parent);
    }
  });
});

function within(parent: string): string[] {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** Without what stands in code. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
}

/** As the hosts of repositories name them. */
function headingsOf(page: string): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
