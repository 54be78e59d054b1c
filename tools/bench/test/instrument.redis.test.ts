import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { needsRedisServer, skipTest, until } from '@perch/testkit';
import { Bench } from '../src/bench.js';
import { goals, type RowName } from '../src/goals.js';
import type { Row } from '../src/figures.js';
import { plans } from '../src/plan.js';
import type { Report } from '../src/report/report.js';
import { tableOf } from '../src/report/table.js';
import { addBareGateway, onNodeHttp } from '../src/rows/http-layer.js';
import { runBench } from '../src/run.js';
import { startAedes, startLean, startSocketIo } from '../src/variants/comparators.js';

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
      for (const { name, values, figure } of rowsOf(title, report)) {
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

  it('detects a wrong answer and a command that was executed twice', async () => {
    const bench = new Bench(smoke);
    const { robots: robotsWorker, redisBinary } = bench;
    try {
      for (const start of [startLean, startSocketIo, startAedes]) {
        const variant = await start({ robotsWorker, redisBinary, robots: 2, keys: 1 });
        try {
          await variant.connectRobots(2);
          bench.wrong = 0;
          await bench.run(variant, { calls: 4, inFlight: 2 });
          assert.equal(bench.wrong, 0, variant.name);
          await bench.run(variant, { calls: 4, inFlight: 2, commandsPerCall: 2 });
          assert.equal(bench.wrong, 4, variant.name);
          await bench.run(variant, { calls: 3, inFlight: 1, targets: { ...variant.targets, keys: ['pk_stranger'] } });
          assert.equal(bench.wrong, 4 + 3 + 3, `${variant.name}: three refused, and so three commands missing`);
          // The rate limit allows 30, of which 8 are used.
          bench.wrong = 0;
          await bench.run(variant, { calls: 60, inFlight: 4 });
          assert.ok(bench.wrong > 0, `${variant.name} has no bucket`);
        } finally {
          await variant.stop();
        }
      }
    } finally {
      await bench.close();
    }
  });

  it('replaces express in a gateway without changing its answers', async () => {
    const script = "import express from 'express'; console.log('listen' in express())";
    const said = execFileSync(process.execPath, ['--import', onNodeHttp.href, '--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(said.trim(), 'false', 'a real express can listen');

    const bench = new Bench(smoke);
    try {
      await bench.withPerch({ robots: 1, keys: 1 }, async (perch) => {
        const gateways = [perch.gateway, await addBareGateway(perch)];
        const { keys, robots } = perch.targets;
        const authorization = `Bearer ${keys[0]}`;
        const requests: [path: string, init: RequestInit][] = [
          [
            `/v1/robots/${robots[0]}/leds`,
            { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{"color":"red"}' },
          ],
          [`/v1/robots/${robots[0]}/leds`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{"colour":1}' }],
          ['/v1/actions?x=1', { headers: { authorization } }],
          ['/v1', { headers: { authorization } }],
          ['/v1/robots', {}],
          ['/elsewhere?x=1', {}],
        ];
        for (const [path, init] of requests) {
          const [shipped, bare] = await Promise.all(
            gateways.map(async ({ address }) => {
              const answer = await fetch(`${address}${path}`, init);
              const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>;
              return { status: answer.status, type: answer.headers.get('content-type'), body };
            }),
          );
          assert.deepEqual(bare, shipped, path);
        }
      });
    } finally {
      await bench.close();
    }
  });
});
