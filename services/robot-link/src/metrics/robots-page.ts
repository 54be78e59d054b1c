/** /metrics/robots, written in slices between which the event loop continues: ten thousand robots are megabytes of text. */
import { sendJson, type AdminPage } from '@perch/runtime';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { robotSamples, type ReportedRobot } from './robot-samples.js';

/** Prometheus needs one for each of its replicas. */
const scrapesMax = 4;
/** A response whose client does not read is aborted after this; above any reasonable scrape timeout. */
const scrapeMs = 60_000;
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export interface RobotsPageOptions {
  robots: () => Iterable<ReportedRobot>;
  enabled: boolean;
  scrapeMs?: number;
}

export function robotsPage({ robots, enabled, scrapeMs: breakOffMs = scrapeMs }: RobotsPageOptions): AdminPage {
  let scrapes = 0;
  return async ({ method }, response) => {
    if (!enabled) return sendJson(response, 404, { ok: false, error: 'The metrics of each robot are off. PERCH_METRICS_ROBOTS=true turns them on.' });
    if (scrapes >= scrapesMax) {
      response.setHeader('retry-after', '1');
      return sendJson(response, 503, { ok: false, error: `Only ${scrapesMax} scrapes of the robots run at the same time. Try again in a moment.` });
    }
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    if (method === 'HEAD') return void response.end();
    scrapes += 1;
    try {
      await pipeline(inTurns(robotSamples(newestOfEach(robots()))), response, { signal: AbortSignal.timeout(breakOffMs) });
    } finally {
      scrapes -= 1;
    }
  };
}

async function* inTurns(slices: Iterable<string>): AsyncGenerator<string> {
  for (const slice of slices) {
    yield slice;
    await setImmediate();
  }
}

/** A session that lost its lease stays until its connection is closed, and Prometheus refuses two series of the same name. */
function newestOfEach(robots: Iterable<ReportedRobot>): ReportedRobot[] {
  const byId = new Map<string, ReportedRobot>();
  for (const robot of robots) byId.set(robot.robot, robot);
  return [...byId.values()];
}
