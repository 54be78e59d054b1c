import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { adminServer, Health, Metrics, type AdminServer } from '@perch/runtime';
import { until } from '@perch/testkit';
import { type RobotReport, robotsPage, type RobotsPageOptions } from '../../src/metrics/robots-page.js';
import { reportedRobot, reportedRobots } from './robots.js';

const path = '/metrics/robots';
/** More text than the socket buffers of two processes hold: a response whose client does not read stays unfinished. */
const manyRobots = 20_000;

describe('/metrics/robots', () => {
  let server: AdminServer | undefined;
  const clients: IncomingMessage[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await server?.stop?.(new AbortController().signal);
  });

  async function serve(options: Partial<RobotsPageOptions>): Promise<string> {
    const pages = { [path]: robotsPage({ robots: () => reportedRobots(2), enabled: true, ...options }) };
    server = adminServer({ host: '127.0.0.1', port: 0, health: new Health(), metrics: new Metrics('robot-link'), pages });
    await server.start?.(new AbortController().signal);
    return server.address + path;
  }

  async function stalled(url: string): Promise<IncomingMessage> {
    const [response] = (await once(get(url), 'response')) as [IncomingMessage];
    response.on('error', () => {});
    clients.push(response);
    return response;
  }

  it('answers with text in the format of Prometheus', async () => {
    const response = await fetch(await serve({}));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal((await response.text()).match(/^perch_robot_up\{.*\} 1$/gm)?.length, 2);
  });

  it('answers 404 and names the setting if it is off', async () => {
    const response = await fetch(await serve({ enabled: false }));
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), { ok: false, error: 'The metrics of each robot are off. PERCH_METRICS_ROBOTS=true turns them on.' });
  });

  it('answers HEAD without reading any robot, and refuses other methods', async () => {
    const url = await serve({ robots: () => assert.fail('read') });
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  it('lets the event loop continue after each slice', async () => {
    // Every slice reads this property of its first robot; a callback of the event loop runs between two reads with different values.
    let iterations = 0;
    const iterationsOfReads = new Set<number>();
    const robots = reportedRobots(5000);
    robots[0] = {
      ...robots[0]!,
      get isOver() {
        iterationsOfReads.add(iterations);
        return false;
      },
    };
    let ended = false;
    const count = (): void => {
      iterations += 1;
      if (!ended) setImmediate(count);
    };
    const url = await serve({ robots: () => robots });
    setImmediate(count);
    try {
      const text = await (await fetch(url)).text();
      assert.equal(text.match(/^perch_robot_up/gm)?.length, 5000);
      // One slice of each metric contains that robot, with 20 other slices in between.
      assert.equal(iterationsOfReads.size, 6);
      const ordered = [...iterationsOfReads].toSorted((a, b) => a - b);
      for (const [i, iteration] of ordered.slice(1).entries()) assert.ok(iteration - ordered[i]! >= 20, `${iteration - ordered[i]!} iterations`);
    } finally {
      ended = true;
    }
  });

  it('returns one series for a robot whose old session is not closed yet: that of its newest session', async () => {
    const robots = [reportedRobot('r-1', { readings: { battery_pct: 10 } }), reportedRobot('r-2'), reportedRobot('r-1')];
    const text = await (await fetch(await serve({ robots: () => robots }))).text();
    assert.deepEqual(text.match(/^perch_robot_battery_ratio.*"r-1".*$/gm), ['perch_robot_battery_ratio{account="a-1",robot="r-1"} 0.81']);
  });

  it('refuses a fifth concurrent scrape, and accepts the next when one of the four disconnects', async () => {
    const url = await serve({ robots: () => reportedRobots(manyRobots) });
    const [first] = [await stalled(url), await stalled(url), await stalled(url), await stalled(url)];
    const refused = await fetch(url);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    assert.match(((await refused.json()) as { error: string }).error, /^Only 4 scrapes/);
    first!.destroy();
    await until(async () => {
      const response = await fetch(url);
      await response.body?.cancel();
      return response.status === 200;
    });
  });

  it('aborts a response whose client does not read', async () => {
    let reads = 0;
    const robots = (): RobotReport[] => {
      reads += 1;
      return reportedRobots(manyRobots);
    };
    const url = await serve({ robots, scrapeMs: 200 });
    const responses = [await stalled(url), await stalled(url), await stalled(url), await stalled(url)];
    assert.equal(reads, 4);
    await until(async () => {
      const response = await fetch(url);
      await response.body?.cancel();
      return response.status === 200;
    });
    await new Promise((resolve) => responses[0]!.resume().once('close', resolve));
    assert.equal(responses[0]!.complete, false);
  });
});
