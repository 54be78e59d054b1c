import assert from 'node:assert/strict';
import { onLoadRuns } from './load-runs.js';

onLoadRuns('a run', ({ run, accountsOfRuns }) => {
  it('loses and doubles no event and no command, uses all readers, and removes its accounts', async () => {
    const report = await run([], new AbortController().signal);
    const { robots, connected, actions, errors, events_sent, events_seen, lost, doubled, refused, problems, trouble } = report;
    const found = { robots, connected, errors, lost, doubled, refused, problems, trouble, missing: events_sent - events_seen };
    assert.deepEqual(found, { robots: 20, connected: 20, errors: 0, lost: 0, doubled: 0, refused: 0, problems: [], trouble: [], missing: 0 });
    assert.ok(actions > 50 && events_sent > 50 && report.commands.confirmed > 0, JSON.stringify({ actions, events_sent }));
    assert.equal(report.calls.leds.count > 0 && report.late.count > 0, true);
    assert.ok(report.processes.some(({ name, rss_mb: rss }) => name === 'robot-link' && rss.some((mb) => mb !== null && mb > 10)));
    const gateway = report.processes.find(({ name }) => name === 'gateway')!;
    assert.equal(gateway.cores_series.length, gateway.rss_mb.length);
    assert.ok(Math.max(...gateway.cores_series.map((cores) => cores ?? 0)) > 0);
    assert.deepEqual(await accountsOfRuns(), []);
  });

  it('removes its accounts if it is aborted', async () => {
    const abort = new AbortController();
    const running = run([], abort.signal, (line) => {
      if (line.includes('calls a second')) abort.abort(new Error('ended'));
    });
    await assert.rejects(running, /ended/);
    assert.deepEqual(await accountsOfRuns(), []);
  });
});
