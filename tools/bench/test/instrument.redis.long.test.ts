import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { until } from '@perch/testkit';
import { tableOf } from '../src/report/table.js';
import { onSmallRuns, rowsOf, smallRun } from './smoke.js';

function children(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

onSmallRuns('npm run bench', () => {
  it('runs a small round of every variant, and of tool calls with access tokens, with correct answers and commands, and stops all processes it started', async () => {
    const before = children();
    const report = await smallRun(['side-by-side', 'token']);
    for (const title of ['CPU per action', 'latency', 'throughput']) {
      for (const { name, values, figure, note } of rowsOf(title, report)) {
        // Without a network, mosquitto may be missing.
        if (note !== null && / M\b/.test(name)) continue;
        assert.equal(values.length, 1, name);
        assert.ok(figure !== null && figure >= 0, name);
      }
    }
    const [row] = rowsOf('a tool call at /mcp with an access token', report);
    assert.ok((row?.figure ?? 0) > 0, String(row?.figure));
    assert.match(tableOf(report), /CPU against L, 16 in flight/);
    await until(() => children().every((pid) => before.includes(pid)), { what: 'no process of the bench to be left' });
  });
});
