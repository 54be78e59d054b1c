/**
 * `npm run profile -- --heap [--minutes N] [--json FILE]`: keeps the page of a robot open that is used all the time, and prints the memory that remains
 * in use after a collection of garbage, of the page and of its worker, with the numbers of elements and listeners. Starts the services on its own Redis;
 * requires chromium. docs/performance.md has the goals.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { VirtualRobot } from '@perch/virtual-robot';
import type { CDPSession, Page } from 'playwright-core';
import { closeBrowser, openBrowser } from '../browser/fixture/chromium.js';
import { BrowserUser } from '../browser/fixture/browser-user.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

interface Sample {
  minutes: number;
  /** Page and its workers, MB. */
  heapMb: number;
  elements: number;
  listeners: number;
}

const { values } = parseArgs({ options: { heap: { type: 'boolean' }, minutes: { type: 'string', default: '10' }, json: { type: 'string' } } });
const minutes = Number(values.minutes);
/** Samples at equal times. The first fifth is left out of the growth: caches fill, and the code is compiled. */
const samplesMax = 20;
const warmUpShare = 0.2;
const goals = { heapMb: 1, elements: 30, listeners: 50 };
const effects = ['rainbow', 'breathe', 'chase', 'blink'];
const emotions = ['happy', 'sad', 'angry', 'doubt', 'sleepy', 'neutral'];

const system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } });
const samples: Sample[] = [];
try {
  const user = await BrowserUser.open(await openBrowser(), system.gateway(), { width: 1280, height: 800 });
  await user.signUp();
  const { account } = await user.call('GET', '/console/session');
  const { robot: id, token } = await system.store.robots.create({ account: account.id, name: 'Desk' });
  const robot = new VirtualRobot({ url: system.link(), token });
  system.keep(robot);
  await robot.start();
  const { page } = user;
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(`/robots/${id}`);
  await page.getByText('Online', { exact: true }).waitFor();
  const ended = new AbortController();
  const using = use(user, robot, id, ended.signal);
  await sample(page, await page.context().newCDPSession(page));
  ended.abort();
  await using;
  if (user.problems.length > 0) throw new Error(`the page reported:\n${user.problems.join('\n')}`);
} finally {
  await closeBrowser();
  await system.close();
}
const growth = growthOf(samples.filter((each) => each.minutes >= minutes * warmUpShare));
print();
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ minutes, samples, growth, goals }, null, 2)}\n`);
process.exit((Object.keys(goals) as (keyof typeof goals)[]).every((name) => growth[name] <= goals[name]) ? 0 : 1);

/** What programs and people do with a robot, about five calls a second; a question is open for a moment, and then answered. */
async function use(user: BrowserUser, robot: VirtualRobot, id: string, signal: AbortSignal): Promise<void> {
  const act = (action: string, args: object): Promise<unknown> => user.call('POST', `/console/v1/robots/${id}/${action}`, args);
  for (let turn = 0; !signal.aborted; turn++) {
    robot.setReading('battery_pct', 20 + (turn % 80));
    robot.setReading('temperature_c', 20 + (turn % 10) / 10);
    await act('leds', { effect: effects[turn % effects.length] });
    await act('face', { emotion: emotions[turn % emotions.length] });
    await act('move', { yaw: (turn % 9) * 10 - 40, pitch: 10 });
    if (turn % 3 === 0) await act('say', { text: `This is the turn ${turn}.` });
    if (turn % 5 === 0) {
      const asked = act('ask', { question: `Is this the turn ${turn}?`, answers: ['Yes', 'No'], timeout_s: 2 });
      await robot.until(({ screen }) => screen.question !== null, { what: 'the question' });
      await asked;
    } else await robot.tap(160, 20);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function sample(page: Page, cdp: CDPSession): Promise<void> {
  const workers = await workersOf(cdp);
  await cdp.send('Performance.enable');
  const began = performance.now();
  for (let i = 0; i <= samplesMax; i++) {
    const due = began + (i * minutes * 60_000) / samplesMax;
    await page.waitForTimeout(Math.max(0, due - performance.now()));
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const valueOf = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
    const heapMb = (usedSize + (await workers.heapBytes())) / 1e6;
    samples.push({ minutes: (performance.now() - began) / 60_000, heapMb, elements: valueOf('Nodes'), listeners: valueOf('JSEventListeners') });
    const { minutes: at, elements, listeners } = samples.at(-1)!;
    process.stderr.write(`${at.toFixed(1)} min: ${heapMb.toFixed(2)} MB, ${elements} elements, ${listeners} listeners\n`);
  }
}

/** The worker that draws has a heap of its own, which only a session within the page's session can read. */
async function workersOf(cdp: CDPSession): Promise<{ heapBytes: () => Promise<number> }> {
  const sessions = new Set<string>();
  const replies = new Map<number, (result: { usedSize?: number }) => void>();
  let last = 0;
  cdp.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => targetInfo.type === 'worker' && sessions.add(sessionId));
  cdp.on('Target.detachedFromTarget', ({ sessionId }) => sessions.delete(sessionId));
  cdp.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result = {} } = JSON.parse(message) as { id?: number; result?: { usedSize?: number } };
    if (id !== undefined) replies.get(id)?.(result);
  });
  await cdp.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const ask = async (sessionId: string, method: string): Promise<{ usedSize?: number }> => {
    const id = ++last;
    const reply = new Promise<{ usedSize?: number }>((resolve) => replies.set(id, resolve));
    await cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return reply.finally(() => replies.delete(id));
  };
  return {
    heapBytes: async () => {
      let bytes = 0;
      for (const session of sessions) {
        await ask(session, 'HeapProfiler.collectGarbage');
        bytes += (await ask(session, 'Runtime.getHeapUsage')).usedSize ?? 0;
      }
      return bytes;
    },
  };
}

/** Medians of the last and of the first third: single samples fall between two renderings. */
function growthOf(steady: readonly Sample[]): typeof goals {
  const third = Math.max(1, Math.floor(steady.length / 3));
  const median = (part: readonly Sample[], name: keyof typeof goals): number =>
    part.map((each) => each[name]).toSorted((a, b) => a - b)[Math.floor(part.length / 2)]!;
  const grown = (name: keyof typeof goals): number => median(steady.slice(-third), name) - median(steady.slice(0, third), name);
  return { heapMb: grown('heapMb'), elements: grown('elements'), listeners: grown('listeners') };
}

function print(): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  let text = line(['minutes', 'heap, MB', 'elements', 'listeners']) + line(['---', '---', '---', '---']);
  for (const { minutes: at, heapMb, elements, listeners } of samples)
    text += line([at.toFixed(1), heapMb.toFixed(2), String(elements), String(listeners)]);
  const marked = (name: keyof typeof goals, digits = 0): string => {
    const figure = growth[name].toFixed(digits);
    return growth[name] <= goals[name] ? figure : `**${figure}**`;
  };
  process.stdout.write(text + line(['growth', marked('heapMb', 2), marked('elements'), marked('listeners')]));
}
