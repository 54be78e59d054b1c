/** Writes programs with scripts/bundle.mjs, and starts them. The services' own bundles are tested by all end-to-end tests. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const template = readFileSync(new URL('../../../scripts/bundled-program.mjs', import.meta.url), 'utf8');
const bundler = new URL('../../../scripts/bundle.mjs', import.meta.url).href;
/** Ends when the cache is written, at the latest after 20 s. */
const bundle = `(function (exports, require, module, __filename, __dirname) {
  const { readdirSync } = require('node:fs');
  const before = readdirSync(__dirname).filter((file) => file.endsWith('.cache')).join();
  console.log('ran', __filename.startsWith(__dirname), typeof module.exports, exports === module.exports);
  if (process.argv[2] === 'once') return;
  const until = Date.now() + 20_000;
  const timer = setInterval(() => {
    const now = readdirSync(__dirname).filter((file) => file.endsWith('.cache')).join();
    if ((now !== '' && now !== before) || Date.now() > until) clearInterval(timer);
  }, 50);
})`;

describe('a bundled program', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-bundle-'));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'dist/main-0.bundle.js'), bundle);
    writeFileSync(join(folder, 'dist/main.js'), template.replace('BUNDLE_NAME', 'main-0.bundle.js'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join(folder, 'dist/main.js'), ...args])).stdout.trim();
  const caches = (): string[] => readdirSync(join(folder, 'dist')).filter((file) => file.endsWith('.cache'));

  it('writes the compiled code once it runs for a while, and runs with it, or without it where V8 rejects it', async () => {
    assert.equal(await run('once'), 'ran true object true');
    assert.deepEqual(caches(), [], 'a program that ends at once writes nothing');
    assert.equal(await run(), 'ran true object true');
    const [cache, ...others] = caches();
    assert.deepEqual(others, []);
    assert.ok(readFileSync(join(folder, 'dist', cache!)).length > 100);
    assert.equal(await run('once'), 'ran true object true');
    writeFileSync(join(folder, 'dist', cache!), 'of another version of V8');
    assert.equal(await run('once'), 'ran true object true');
  });
});

describe('openBundler', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'perch-bundler-'));
    for (const folder of ['scripts', 'services/gateway/src']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'scripts/bundled-program.mjs'), template);
    writeFileSync(join(root, 'services/gateway/package.json'), '{"type":"module"}');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Builds a program that prints a text. @returns the name of its bundle */
  async function build(printed: string): Promise<string> {
    writeFileSync(join(root, 'services/gateway/src/main.ts'), `console.log('${printed}' as string);`);
    const script = `
      import { openBundler } from '${bundler}';
      const { bundle, close } = await openBundler(${JSON.stringify(root)}, 'gateway');
      process.exitCode = (await bundle()) ? 0 : 1;
      await close();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    return /'([\w.-]+\.bundle\.js)'/.exec(readFileSync(dist('main.js'), 'utf8'))![1]!;
  }
  const dist = (name: string): string => join(root, 'services/gateway/dist', name);

  it('keeps the bundle that was in use until now, however old, and removes earlier ones', async () => {
    const yesterday = Date.now() / 1000 - 86_400;
    const first = await build('first');
    utimesSync(dist(first), yesterday, yesterday);
    const second = await build('second');
    assert.ok(existsSync(dist(first)), 'a process that has read its name may still have to read it');
    utimesSync(dist(second), yesterday, yesterday);
    const third = await build('third');
    assert.deepEqual(
      [first, second, third].map((name) => existsSync(dist(name))),
      [false, true, true],
    );
    const { stdout } = await promisify(execFile)(process.execPath, [dist('main.js')]);
    assert.equal(stdout, 'third\n');
  });
});
