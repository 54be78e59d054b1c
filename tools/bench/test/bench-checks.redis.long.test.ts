import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { needsRedisServer, provideMosquitto, skipTest } from '@perch/testkit';
import { Bench } from '../src/bench.js';
import { plans } from '../src/plan.js';
import { addBareGateway, bareProgram, onNodeHttp } from '../src/rows/http-layer.js';
import { startAedes, startLean, startMosquitto, startSocketIo, type VariantOptions } from '../src/variants/comparators.js';

const smoke = { plan: plans.smoke, env: process.env, log: () => {} };

describe('the checks of npm run bench', function () {
  this.timeout(180_000);

  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'the bench reads /proc');
    needsRedisServer(this);
  });

  it('detects a wrong answer and a command that was executed twice', async () => {
    const bench = new Bench(smoke);
    const { robots: robotsWorker, redisBinary } = bench;
    try {
      const mosquitto = await provideMosquitto();
      const withMosquitto = typeof mosquitto === 'string' ? [] : [(options: VariantOptions) => startMosquitto(options, mosquitto)];
      for (const start of [startLean, startSocketIo, startAedes, ...withMosquitto]) {
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
    rmSync(bareProgram, { force: true });
    const bench = new Bench(smoke);
    try {
      await bench.withPerch({ robots: 1, keys: 1 }, async (perch) => {
        const unbundled = perch.cluster.add('gateway', { NODE_OPTIONS: `--import ${onNodeHttp.href}` });
        await assert.rejects(unbundled, /bare-main\.js/, 'the preloaded module runs no other program');
        const gateways = [perch.gateway, await addBareGateway(perch)];
        const bundleOf = (program: string): string => readFileSync(new URL(/'([\w.-]+\.bundle\.js)'/.exec(program)![1]!, bareProgram), 'utf8');
        const hasExpress = [new URL('main.js', bareProgram), bareProgram].map((program) =>
          bundleOf(readFileSync(program, 'utf8')).includes('node_modules/express/lib/application.js'),
        );
        assert.deepEqual(hasExpress, [true, false]);
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
