/**
 * `npm run coverage:path -- leds|ask|tap`: prints the source files that one warm call runs through in gateway, robot-link and renderer, without the functions
 * that idle processes run. V8 counts the calls of each function of the bundles, whose maps tell the source. `tap`: from the tap at the robot to the end of a
 * long poll of its event.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import type { Api } from '../fixture/clients/api.js';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

interface Robot {
  system: SystemUnderTest;
  api: Api;
  id: string;
  robot: VirtualRobot;
}

interface Script {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

/** By bundle: the source file of a place in it, relative to the clone. */
const maps = new Map<string, (offset: number) => string | null>();
const root = fileURLToPath(new URL('../..', import.meta.url));

const calls: Record<string, (at: Robot) => Promise<void>> = {
  async leds({ api, id }) {
    assert.equal((await api.act(id, 'leds', { color: 'green' })).status, 200);
  },
  async ask({ system, api, id, robot }) {
    const call = api.act(id, 'ask', { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
    await questionShown(robot);
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await call).body.outcome, 'answered');
  },
  async tap({ api, id, robot }) {
    const { body } = await api.get(`/v1/robots/${id}/events?names=tap`);
    const poll = api.get(`/v1/robots/${id}/events?names=tap&seconds=10&after=${body.last_seq}`);
    await sleep(300);
    await robot.tap(...left);
    assert.equal((await poll).body.events.length, 1);
  },
};

const [name = '', ...rest] = process.argv.slice(2);
const call = calls[name];
if (call === undefined || rest.length > 0) {
  process.stderr.write(`npm run coverage:path -- ${Object.keys(calls).join('|')}\n`);
  process.exit(2);
}
for (const line of await filesOf(call)) process.stdout.write(`${line}\n`);

async function filesOf(one: (at: Robot) => Promise<void>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'perch-coverage-'));
  const env = {
    ...process.env,
    PERCH_LOG_LEVEL: 'warn',
    COVERAGE_FOLDER: folder,
    NODE_OPTIONS: `--import=${new URL('coverage-preload.mjs', import.meta.url).href}`,
  };
  const system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1 }, { env });
  try {
    const tenant = await system.tenant();
    const at = { system, api: tenant.api(), ...(await tenant.robot()) };
    for (let warm = 0; warm < 3; warm++) await one(at);
    await functionsSince(system, folder);
    await sleep(5000);
    const idle = await functionsSince(system, folder);
    await one(at);
    const ran = await functionsSince(system, folder);
    const files = new Set([...ran].filter(([place]) => !idle.has(place)).map(([, file]) => file));
    return [...files].filter((file) => !file.includes('node_modules/')).toSorted();
  } finally {
    await system.close();
    rmSync(folder, { recursive: true });
  }
}

/** @returns source files by the place of each function that ran, once all services have told theirs */
async function functionsSince(system: SystemUnderTest, folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const { gateways, links, renderers } = system.cluster;
  for (const service of [...gateways, ...links, ...renderers]) {
    const file = join(folder, `${service.pid}.json`);
    service.signal('SIGUSR2');
    await until(() => existsSync(file), { what: `the functions of ${service.service}` });
    for (const { url, functions } of JSON.parse(readFileSync(file, 'utf8')) as Script[]) {
      const sources = sourcesOf(url);
      for (const { ranges } of functions) {
        const { startOffset, count } = ranges[0]!;
        const source = count > 0 && startOffset > 0 ? sources(startOffset) : null;
        if (source !== null) found.set(`${url}:${startOffset}`, source);
      }
    }
    rmSync(file);
  }
  return found;
}

/** @param bundle its URL */
function sourcesOf(bundle: string): (offset: number) => string | null {
  const known = maps.get(bundle);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(bundle), 'latin1');
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${bundle}.map`), 'utf8')) as SourceMapPayload);
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  const sources = (offset: number): string | null => {
    let line = 0;
    for (let high = starts.length; high - line > 1;) {
      const middle = (line + high) >> 1;
      if (starts[middle]! <= offset) line = middle;
      else high = middle;
    }
    const entry = map.findEntry(line, offset - starts[line]!);
    return 'originalSource' in entry ? relative(root, fileURLToPath(new URL(entry.originalSource, bundle))) : null;
  };
  maps.set(bundle, sources);
  return sources;
}
