import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { needsRedisServer, skipTest, until } from '@perch/testkit';
import { goals, type RowName } from '../src/goals.js';
import type { Row } from '../src/figures.js';
import { plans } from '../src/plan.js';
import type { Report } from '../src/report/report.js';
import { tableOf } from '../src/report/table.js';
import { runBench } from '../src/run.js';

const smoke = { plan: plans.smoke, env: process.env, log: () => {} };

function children(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function rowsOf(title: string, { rows }: Report): Row[] {
  const names = new Set<RowName>(goals.filter((goal) => goal.title.startsWith(title)).flatMap(({ rows }) => rows.map(({ name }) => name)));
  return rows.filter(({ name }) => names.has(name));
}

describe('npm run bench', function () {
  this.timeout(180_000);

  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'the bench reads /proc');
    needsRedisServer(this);
  });

  it('runs a small round of every variant with correct answers and commands, and stops all processes it started', async () => {
    const before = children();
    const report = await runBench(smoke, ['side-by-side']);
    assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
    for (const title of ['CPU per action', 'latency', 'throughput']) {
      for (const { name, values, figure, note } of rowsOf(title, report)) {
        // Without a network, mosquitto may be missing.
        if (note !== null && / M\b/.test(name)) continue;
        assert.equal(values.length, 1, name);
        assert.ok(figure !== null && figure >= 0, name);
      }
    }
    assert.match(tableOf(report), /CPU against L, 16 in flight/);
    await until(() => children().every((pid) => before.includes(pid)), { what: 'no process of the bench to be left', timeoutMs: 20_000 });
  });

  it('counts the same commands at the client as the server, with one awaited round trip', async () => {
    const report = await runBench(smoke, ['redis-traffic']);
    assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
    const figure = (name: RowName): number | null => report.rows.find((row) => row.name === name)!.figure;
    assert.equal(figure('commands the server counted otherwise than the client'), 0);
    assert.equal(figure('awaited round trips'), 1);
    // The nodes count background commands, too: one more for twenty calls is 0.05.
    const onCluster = figure('commands on a Cluster, 1 in flight')!;
    assert.ok(onCluster >= 3 && onCluster < 3.5, String(onCluster));
  });

  it('compares tool calls with access tokens and with API keys, and answers all of them', async () => {
    const report = await runBench(smoke, ['token']);
    assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
    const [row] = rowsOf('a tool call at /mcp with an access token', report);
    assert.ok((row?.figure ?? 0) > 0, String(row?.figure));
  });

  it('counts what a new question costs, and no count exceeds what it was', async () => {
    const report = await runBench(smoke, ['questions']);
    assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
    const figure = (name: RowName): number => report.rows.find((row) => row.name === name)!.figure!;
    for (const name of ['a new question at the robot, p50', 'a new question at the robot, p99', 'CPU of a new question'] as const)
      assert.ok(figure(name) > 0, name);
    // The goals are 4 round trips, 6 and 13 kB; a change that lowers a count lowers its bound here, too.
    assert.ok(figure('awaited round trips of a known question') <= 4, `${figure('awaited round trips of a known question')} round trips`);
    const [png8, lossless] = [figure('bytes of a picture, png8'), figure('bytes of a picture, lossless')];
    assert.ok(png8 <= 5.5 && lossless <= 12 && png8 < lossless, `${png8} and ${lossless} kB`);
  });

  it('compares new pictures and questions with another build, and answers all of them', async () => {
    const base = fileURLToPath(new URL('../../..', import.meta.url));
    const report = await runBench({ ...smoke, base }, ['drawing']);
    assert.deepEqual({ wrong: report.wrong, failures: report.failures }, { wrong: 0, failures: [] });
    for (const { name, figure } of rowsOf('a new picture', report)) assert.ok(figure !== null && figure > 0, `${name}: ${figure}`);
  });
});
