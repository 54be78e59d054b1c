/** What a build leaves where the page is served from, with vite replaced by the files it would have made. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface PageBuild {
  buildPage(root: string, run: (command: string, args: string[]) => Promise<boolean>): Promise<boolean>;
}

describe('a build of the web page', () => {
  let root: string;
  let buildPage: PageBuild['buildPage'];
  before(async () => {
    ({ buildPage } = (await import(new URL('../../../deploy/local/page.mjs', import.meta.url).href)) as PageBuild);
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'perch-page-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('keeps the parts that the page served before may still ask for, for a day', async () => {
    const day = 24 * 60 * 60;
    assert.ok(await buildPage(root, making({ 'index.html': 'old', 'assets/a-1.js': '1' })));
    const old = Date.now() / 1000 - 2 * day;
    writeFileSync(join(root, 'packages/console/dist/assets/a-0.js'), '0');
    utimesSync(join(root, 'packages/console/dist/assets/a-0.js'), old, old);
    assert.ok(await buildPage(root, making({ 'index.html': 'new', 'index.html.gz': 'new, packed', 'assets/a-2.js': '2' })));
    assert.deepEqual(served(), { 'index.html': 'new', 'index.html.gz': 'new, packed', 'assets/a-1.js': '1', 'assets/a-2.js': '2' });
  });

  it('that fails leaves the page as it was, and nothing beside it', async () => {
    assert.ok(await buildPage(root, making({ 'index.html': 'good', 'assets/a-1.js': '1' })));
    assert.equal(await buildPage(root, () => Promise.resolve(false)), false);
    assert.deepEqual(served(), { 'index.html': 'good', 'assets/a-1.js': '1' });
    assert.deepEqual(readdirSync(join(root, '.perch')), []);
  });

  /** As vite with `--outDir`. */
  function making(files: Record<string, string>) {
    return async (_command: string, args: string[]): Promise<boolean> => {
      const folder = args[args.indexOf('--outDir') + 1]!;
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return true;
    };
  }

  function served(): Record<string, string> {
    const dist = join(root, 'packages/console/dist');
    const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => [join(parentPath, name).slice(dist.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
    );
  }
});
