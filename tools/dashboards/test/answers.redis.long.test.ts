import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsPrometheus, needsRedisServer, until } from '@perch/testkit';
import { emptyInCalm } from '../src/empty-in-calm.js';
import { pages } from '../src/pages.js';
import { emptyPanels, readPage } from '../src/scrape/page-data.js';
import { usePerch } from '../src/scrape/programs.js';
import { startSystem, type System } from '../src/scrape/system.js';

const withinMs = 120_000;

describe('a real Prometheus that scrapes Perch under load', function () {
  this.timeout(withinMs + 60_000);
  let system: System | undefined;
  const ending = new AbortController();

  before(async function () {
    needsRedisServer(this);
    needsPrometheus(this);
    system = await startSystem({ robots: 6, intervalS: 1, env: process.env });
  });

  after(async () => {
    ending.abort();
    await system?.stop();
  });

  it('has data for every panel, except those listed with a reason', async () => {
    const used = usePerch({ system: system!, callsPerS: 8 }, ending.signal);
    const expected = new Set(
      emptyInCalm.flatMap(({ page, panels, fullUnderLoad }) => (fullUnderLoad ? [] : panels.map((panel) => `${page}: ${panel}`))),
    );
    const deadline = performance.now() + withinMs;
    let unread = pages;
    let empty: string[];
    do {
      await sleep(2000);
      empty = [];
      const end = Math.floor(Date.now() / 1000);
      const incomplete = [];
      for (const page of unread) {
        const data = await readPage(system!.prometheus, page.dashboard, { rangeS: 60, rateS: 15 }, end, 5);
        const missing = emptyPanels(data)
          .map((title) => `${page.name}: ${title}`)
          .filter((panel) => !expected.has(panel));
        empty.push(...missing);
        if (missing.length > 0) incomplete.push(page);
      }
      unread = incomplete;
    } while (unread.length > 0 && performance.now() < deadline);
    ending.abort();
    await used;
    assert.deepEqual(empty, []);
  });

  it('answers every expression for two installations whose instances have the same names', async () => {
    const { prometheus, jobs } = system!;
    const twice = ['production', 'staging'].flatMap((namespace) =>
      jobs
        .find(({ name }) => name === 'perch')!
        .targets.map(({ url, labels }) => ({ url, labels: { ...labels, namespace, instance: new URL(url).host } })),
    );
    await prometheus.retarget([{ name: 'perch', targets: twice }]);
    await until(async () => (await prometheus.query('count by (namespace) (perch_build_info) == 8')).length === 2, {
      timeoutMs: 60_000,
      everyMs: 500,
      what: 'Prometheus to have scraped both',
    });
    const end = Math.floor(Date.now() / 1000);
    for (const namespace of ['.*', 'production']) {
      for (const { dashboard } of pages) await readPage(prometheus, dashboard, { rangeS: 60, rateS: 15, variables: { namespace } }, end, 5);
    }
  });
});
