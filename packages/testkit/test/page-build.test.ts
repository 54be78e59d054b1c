/** Checks the folder from which the page is served after a build. Vite is replaced by a function that writes files. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface PageBuild {
  buildPage(root: string, run: (command: string, args: string[]) => Promise<boolean>): Promise<boolean>;
}

describe('a build of the web page', () => {
  let root: string;
  let buildPage: PageBuild['buildPage'];
  before(async () => {
    ({ buildPage } = (await import(new URL('../../../scripts/page.mjs', import.meta.url).href)) as PageBuild);
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'perch-page-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const dayS = 24 * 60 * 60;

  it('keeps the files of a replaced page for a day after the replacement, whatever their age', async () => {
    const monday = {
      'index.html': '<script src="/assets/a-1.js">',
      'assets/a-1.js': 'import("./lazy-1.js")',
      'assets/lazy-1.js': '1',
      'assets/lazy-1.js.gz': '1',
    };
    assert.ok(await buildPage(root, making(monday)));
    put('assets/a-0.js', 'import("./lazy-1.js")');
    age(2 * dayS);
    const wednesday = { 'index.html': '<script src="/assets/a-2.js">', 'index.html.gz': 'wednesday, packed', 'assets/a-2.js': '2' };
    assert.ok(await buildPage(root, making(wednesday)));
    assert.deepEqual(served(), { ...monday, ...wednesday });
    age(dayS / 2);
    assert.ok(await buildPage(root, making({ 'index.html': 'thursday' })));
    assert.deepEqual(served(), { ...monday, ...wednesday, 'index.html': 'thursday' });
    age((dayS * 3) / 4);
    assert.ok(await buildPage(root, making({ 'index.html': 'friday' })));
    assert.deepEqual(
      Object.keys(served()).filter((file) => file.includes('-1.')),
      [],
    );
  });

  it('leaves its own files and those of the last two pages that it replaced, however many builds there were within a day', async () => {
    for (let build = 1; build <= 5; build++) {
      const page = { 'index.html': `<script src="/assets/a-${build}.js">`, [`assets/a-${build}.js`]: 'import("./b.js")', 'assets/b.js': 'b' };
      assert.ok(await buildPage(root, making(page)));
      // Builds take seconds.
      age(1);
    }
    assert.deepEqual(Object.keys(served()).toSorted(), ['assets/a-3.js', 'assets/a-4.js', 'assets/a-5.js', 'assets/b.js', 'index.html']);
  });

  it('leaves the page unchanged and no temporary files when the build fails', async () => {
    assert.ok(await buildPage(root, making({ 'index.html': 'good', 'assets/a-1.js': '1' })));
    assert.equal(await buildPage(root, () => Promise.resolve(false)), false);
    assert.deepEqual(served(), { 'index.html': 'good', 'assets/a-1.js': '1' });
    assert.deepEqual(readdirSync(join(root, '.perch')), []);
  });

  function put(path: string, text: string): void {
    writeFileSync(join(root, 'packages/console/dist', path), text);
  }

  function age(seconds: number): void {
    for (const path of Object.keys(served())) {
      const file = join(root, 'packages/console/dist', path);
      const then = statSync(file).mtimeMs / 1000 - seconds;
      utimesSync(file, then, then);
    }
  }

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
