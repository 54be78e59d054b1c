/** Second half of `npm run panels`: renders a file of tools/dashboards with Grafana's components, a PNG per page. Arguments: FILE FOLDER. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const [file, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const icons = join(dirname(createRequire(import.meta.url).resolve('@grafana/ui/package.json')), 'dist/public/img/icons');
const widthPx = 1600;
/** Origin of the page; nothing is fetched from the network. */
const origin = 'http://panels.invalid';

const { outputFiles } = await build({
  entryPoints: [join(here, 'page/main.tsx')],
  bundle: true,
  write: false,
  outdir: here,
  format: 'iife',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'window' },
  loader: { '.svg': 'text', '.ttf': 'empty' },
  logLevel: 'error',
});
const script = outputFiles.find(({ path }) => path.endsWith('.js')).text;
const style = outputFiles.find(({ path }) => path.endsWith('.css'))?.text ?? '';

const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--disable-background-networking', '--force-color-profile=srgb'],
});
try {
  mkdirSync(folder, { recursive: true });
  for (const page of JSON.parse(readFileSync(file, 'utf8'))) {
    await draw(page, join(folder, `${page.name}.png`));
    process.stderr.write(`${join(folder, `${page.name}.png`)}\n`);
  }
} finally {
  await browser.close();
}

async function draw(data, picture) {
  const tab = await browser.newPage({ viewport: { width: widthPx, height: 1000 } });
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  await tab.route('**', (route) => {
    const { pathname } = new URL(route.request().url());
    const icon = /^\/public\/build\/img\/icons\/(.+)$/.exec(pathname)?.[1];
    if (pathname === '/')
      return route.fulfill({ contentType: 'text/html', body: `<!doctype html><meta charset="utf-8"><style>${style} body { margin: 0 }</style>` });
    return icon === undefined ? route.fulfill({ status: 404, body: '' }) : route.fulfill({ path: join(icons, icon), contentType: 'image/svg+xml' });
  });
  await tab.goto(`${origin}/`);
  await tab.addScriptTag({ content: script });
  await tab.evaluate(([page, width]) => window.drawPage(page, width), [data, widthPx]);
  const panels = data.dashboard.panels.filter(({ type }) => type !== 'row').length;
  const drawn = (count) => document.querySelectorAll('section[data-testid^="data-testid Panel header"]').length === count;
  await tab.waitForFunction(drawn, panels).catch((error) => errors.push(error.message));
  // Icons and canvases appear shortly after the panels.
  await tab.waitForLoadState('networkidle');
  await tab.waitForTimeout(300);
  if (errors.length > 0) throw new Error(`${data.name}: ${errors.join('\n')}`);
  await tab.screenshot({ path: picture, fullPage: true });
  await tab.close();
}

function chromiumPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'google-chrome', 'chromium-browser'].flatMap((name) => folders.map((place) => join(place, name))).find(existsSync);
  const path = process.env.PERCH_TEST_CHROMIUM ?? found;
  if (path === undefined) throw new Error('no chromium on PATH; on Debian and Ubuntu: apt-get install chromium');
  return path;
}
