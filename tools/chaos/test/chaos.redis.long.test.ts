import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { needsRedisServer } from '@perch/testkit';
import type { Report } from '../src/report.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Unlimited rounds; the first two have one fault each, the killed robot-link first. */
const args = ['--rounds', '1000', '--seed', 'self-test', '--only', 'kill-robot-link,none', '--systems', '1'];

describe('npm run chaos', function () {
  this.timeout(300_000);

  it('injects faults, finds no violation, and writes a report when a signal ends it', async function () {
    needsRedisServer(this);
    const dir = await mkdtemp(join(tmpdir(), 'perch-chaos-'));
    const json = join(dir, 'report.json');
    const run = spawn(process.execPath, [main, ...args, '--json', json], { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const ended = once(run, 'close') as Promise<[code: number | null]>;
      let summary = '';
      run.stdout.on('data', (text: Buffer) => (summary += text.toString()));
      const told: string[] = [];
      for await (const line of createInterface({ input: run.stderr })) {
        told.push(line);
        if (line.startsWith('round 1 ')) run.kill('SIGINT');
      }
      const [code] = await ended;
      const why = told.join('\n');
      assert.equal(code, 130, why);
      const report = JSON.parse(await readFile(json, 'utf8')) as Report;
      assert.deepEqual([report.violations, report.failures], [[], []]);
      assert.equal(report.rounds, told.filter((line) => /^round \d+ single /.test(line)).length, why);
      assert.ok(report.rounds === 1 || report.rounds === 2, why);
      assert.equal(report.faults['kill-robot-link'], 1);
      const kinds = Object.keys(report.faults);
      assert.deepEqual([...kinds, ...report.missing].toSorted(), ['kill-robot-link', 'none']);
      const { seed, calls, commands, events, messages, outcomes } = report;
      assert.equal(seed, 'self-test');
      // The counts depend on the machine, but are never 0: each round ends with an action on every robot.
      for (const [what, count] of Object.entries({ calls, commands, events, messages })) assert.ok(count > 0, `no ${what}`);
      assert.ok((outcomes['ok'] ?? 0) > 0, 'no call was ok');
      assert.ok(
        ['answered', 'replaced', 'timed_out'].some((outcome) => (outcomes[outcome] ?? 0) > 0),
        'no wait came to its end',
      );
      assert.match(summary, new RegExp(`^seed self-test: ${report.rounds} rounds .* 0 violations\n`));
    } finally {
      run.kill('SIGKILL');
      await rm(dir, { recursive: true });
    }
  });
});
