/**
 * `npm run profile [-- --help]`: loads every page of the built web page on a phone and on a desktop with a slowed processor, and prints how it loads and
 * what its animations cost. The slow-down follows the machine's index, measured before each load. Loads during which other programs took more than 5 %
 * of the processors are repeated, up to three times as many as wanted. Starts the services on its own Redis; requires chromium. docs/performance.md has
 * the goals.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { RoundMaker, type Rounds } from '@perch/bench';
import type { CDPSession, Page } from 'playwright-core';
import { closeBrowser, openBrowser } from '../browser/fixture/chromium.js';
import { signedInPages, signedOutPages, type ListedPage } from '../browser/fixture/page-list.js';
import { setUpSampleAccount } from '../browser/fixture/sample-account.js';
import { BrowserUser } from '../browser/fixture/browser-user.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';
import { machineIndex, rateFor, referenceIndex, referenceRate } from './machine-index.js';

/** How a page was slowed down. */
interface Slowdown {
  /** Benchmark index of the machine, before the page was loaded. */
  index: number;
  /** Factor by which the processor was slowed down. */
  rate: number;
}

interface Figures {
  /** Sum of all layout shifts without input: an upper limit of CLS. */
  shift: number;
  shifts: string[];
  /** Largest contentful paint, ms. */
  paintMs: number;
  /** Sum of the parts of main-thread tasks beyond 50 ms, from the first paint on. */
  blockedMs: number;
}

interface Row extends Omit<Figures, 'shifts'>, Slowdown {
  page: string;
  size: string;
  /** Loads on a quiet machine, of those that count. */
  quiet: number;
}

const sizes = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 360, height: 740 },
] as const;
/** A page is loaded once nothing of what is measured has happened for so long, ms. */
const settleMs = 2500;
/** A page that does not come to rest is measured after so long, ms. */
const restMsMax = 20_000;
const animationMs = 5000;
const goals = { shift: 0.05, paintMs: 2500, blockedMs: 300, docsBlockedMs: 1000, animationShare: 0.15 };
/** Pages of which the response to a click is measured, too. */
const acting: readonly string[] = ['earlier-screens'];
const docs: ListedPage = { name: 'docs', path: '/docs', shown: (page) => page.locator('.docs-operation').first().waitFor() };

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, json: { type: 'string' }, only: { type: 'string' }, rate: { type: 'string' } },
});
const runs = Number(values.runs);
/** Null: by the machine's index. */
const fixedRate = values.rate === undefined ? null : Number(values.rate);
/** Names of pages, and `leds`; null: all. */
const only = values.only?.split(',') ?? null;
const rows: Row[] = [];
const shares: ({ effect: string; share: number; quiet: number } & Slowdown)[] = [];
const indexes: number[] = [];

/** Runs in every page before its own scripts. A string, because Node has no types for it. */
const recorder = `(() => {
  let shift = 0;
  let paintMs = 0;
  let firstPaintMs = Infinity;
  let lastMs = 0;
  const tasks = [];
  const shifts = [];
  const observe = (type, take) => new PerformanceObserver((list) => {
    lastMs = performance.now();
    list.getEntries().forEach(take);
  }).observe({ type, buffered: true });
  observe('layout-shift', ({ value, hadRecentInput, sources }) => {
    if (hadRecentInput) return;
    shift += value;
    shifts.push(value.toFixed(3) + ' by ' + sources.map(({ node }) => node?.getAttribute?.('class') || node?.nodeName).join(', '));
  });
  observe('largest-contentful-paint', ({ startTime }) => (paintMs = startTime));
  observe('paint', ({ name, startTime }) => name === 'first-contentful-paint' && (firstPaintMs = startTime));
  observe('longtask', ({ startTime, duration }) => tasks.push({ startTime, duration }));
  observe('resource', () => {});
  globalThis.restMs = () => performance.now() - lastMs;
  globalThis.profile = () => ({
    shift,
    shifts,
    paintMs,
    blockedMs: tasks.reduce((sum, { startTime, duration }) => sum + Math.max(0, startTime + duration - Math.max(startTime + 50, firstPaintMs)), 0),
  });
})()`;

const system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } });
try {
  for (const size of sizes) {
    const user = await BrowserUser.open(await openBrowser(), system.gateway(), size);
    for (const place of [...signedOutPages, docs]) await measure(user, place, size.name);
    const account = await setUpSampleAccount(user, system);
    for (const place of signedInPages(account)) await measure(user, place, size.name);
    if (size.name === 'desktop' && (only === null || only.includes('leds'))) {
      for (const effect of ['off', 'breathe', 'rainbow', 'chase', 'blink']) shares.push(await animation(user, account.desk, effect));
    }
    await user.close();
    await system.clear();
  }
} finally {
  await closeBrowser();
  await system.close();
}
print();
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ index: middle(indexes), referenceIndex, fixedRate, runs, rows, shares, goals }, null, 2)}\n`);
process.exit();

async function measure(user: BrowserUser, place: ListedPage, size: string): Promise<void> {
  if (only !== null && !only.includes(place.name)) return;
  // The first visit may have to start something, such as a virtual robot.
  const first = await user.tab();
  await first.goto(place.path);
  await place.shown(first);
  await first.close();
  const { results: found, good } = await onQuietMachine(async () => {
    const { page, cdp, slowdown } = await slowTab(user);
    await page.goto(place.path);
    await waitForRest(page);
    const before = (await page.evaluate('profile()')) as Figures;
    await place.shown(page);
    const figures = acting.includes(place.name) ? await afterRest(page) : before;
    await cdp.detach();
    await page.close();
    return { ...figures, ...slowdown };
  });
  if (only !== null)
    for (const { shifts } of found.filter((figures) => figures.shifts.length > 0))
      process.stdout.write(`${place.name}, ${size}: ${shifts.join('; ')}\n`);
  const median = (name: keyof (Omit<Figures, 'shifts'> & Slowdown)): number => middle(found.map((figures) => figures[name]));
  const figures = { shift: median('shift'), paintMs: median('paintMs'), blockedMs: median('blockedMs') };
  rows.push({ page: place.name, size, ...figures, index: median('index'), rate: median('rate'), quiet: good });
  const { shift, paintMs, blockedMs } = figures;
  note(`${place.name}, ${size}: ${shift.toFixed(3)}, ${Math.round(paintMs)} ms, blocked ${Math.round(blockedMs)} ms, ${good} of ${runs} quiet`);
}

/** The tables are printed at the end, half an hour later. */
function note(progress: string): void {
  process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${progress}\n`);
}

/** Does not search the page: Playwright's script and its selectors would run on the slowed main thread, and be counted as the page's own. */
async function waitForRest(page: Page): Promise<void> {
  const from = performance.now();
  while (performance.now() - from < restMsMax && Number(await page.evaluate('restMs()')) < settleMs) await page.waitForTimeout(settleMs / 5);
}

async function afterRest(page: Page): Promise<Figures> {
  await waitForRest(page);
  return (await page.evaluate('profile()')) as Figures;
}

function onQuietMachine<T>(load: () => Promise<T>): Promise<Rounds<T>> {
  return new RoundMaker({ count: runs, most: 3 * runs, calibratorMs: () => Promise.resolve(1) }).make(load);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Measures the share of the main thread that a robot page takes while the robot's LEDs run an effect. */
async function animation(user: BrowserUser, robot: string, effect: string): Promise<(typeof shares)[number]> {
  await user.call('POST', `/console/v1/robots/${robot}/leds`, effect === 'off' ? { off: true } : { effect });
  const { results, good } = await onQuietMachine(async () => {
    const { page, cdp, slowdown } = await slowTab(user);
    await page.goto(`/robots/${robot}`);
    await waitForRest(page);
    await page.getByText('Online', { exact: true }).waitFor();
    await cdp.send('Performance.enable', { timeDomain: 'timeTicks' });
    const before = await taskSeconds(cdp);
    await page.waitForTimeout(animationMs);
    const after = await taskSeconds(cdp);
    await page.close();
    return { share: (after.tasks - before.tasks) / (after.at - before.at), ...slowdown };
  });
  const median = (name: 'share' | keyof Slowdown): number => middle(results.map((result) => result[name]));
  return { effect, share: median('share'), index: median('index'), rate: median('rate'), quiet: good };
}

async function taskSeconds(cdp: CDPSession): Promise<{ at: number; tasks: number }> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const valueOf = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { at: valueOf('Timestamp'), tasks: valueOf('TaskDuration') };
}

/** Opens a tab with a slowed processor, an empty cache and animations. */
async function slowTab(user: BrowserUser): Promise<{ page: Page; cdp: CDPSession; slowdown: Slowdown }> {
  const page = await user.tab();
  const index = await machineIndex(page);
  indexes.push(index);
  const rate = fixedRate ?? rateFor(index);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.addInitScript(recorder);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate });
  return { page, cdp, slowdown: { index, rate } };
}

function print(): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const quietLoads = `loads on a quiet machine, of ${runs}`;
  const by = fixedRate === null ? `${referenceRate} at an index of ${referenceIndex}` : 'fixed';
  const slowedColumns = ['index', 'slow-down'];
  const slowed = ({ index, rate }: Slowdown): string[] => [String(Math.round(index)), rate.toFixed(1)];
  const head = ['page', 'size', 'layout shift', 'largest paint, ms', 'blocked, ms', ...slowedColumns, quietLoads];
  let text = `Index of the machine: ${indexRange()}; slow-down: ${fixedRate ?? rateFor(middle(indexes)).toFixed(1)} (${by})\n\n`;
  text += line(head) + line(head.map(() => '---'));
  for (const row of rows) {
    const { page, size, shift, paintMs, blockedMs, quiet } = row;
    const blockedMax = page === 'docs' ? goals.docsBlockedMs : goals.blockedMs;
    text += line([
      page,
      size,
      marked(shift.toFixed(3), shift < goals.shift),
      marked(String(Math.round(paintMs)), paintMs < goals.paintMs),
      marked(String(Math.round(blockedMs)), blockedMs < blockedMax),
      ...slowed(row),
      String(quiet),
    ]);
  }
  const ledsHead = ['LEDs of the robot page', 'share of the main thread', ...slowedColumns, quietLoads];
  if (shares.length > 0) text += `\n${line(ledsHead)}${line(ledsHead.map(() => '---'))}`;
  for (const { effect, share, quiet, ...slowdown } of shares)
    text += line([effect, marked(`${(100 * share).toFixed(1)} %`, share < goals.animationShare), ...slowed(slowdown), String(quiet)]);
  process.stdout.write(text);
}

function indexRange(): string {
  const [median, least, most] = [middle(indexes), Math.min(...indexes), Math.max(...indexes)].map(Math.round);
  return `${median} (${least} to ${most})`;
}

function marked(figure: string, isMet: boolean): string {
  return isMet ? figure : `**${figure}**`;
}
