import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireRedisServer, startRedisProcess } from '@perch/local-redis';
import { openStore } from '@perch/store';
import { loadArguments } from '../options.js';
import { isVoid } from '../report/assemble.js';
import { runLoad } from '../run.js';
import type { WebhookCheck } from './bounds.js';
import { scenarios, type ScenarioName } from './scenarios.js';

export interface MeasureOptions {
  folder: string;
  names: readonly ScenarioName[];
  env: NodeJS.ProcessEnv;
  log: (line: string) => void;
  signal: AbortSignal;
}

export const costsFile = (name: ScenarioName): string => `costs-${name}.json`;
export const lookFile = 'look.json';

/** @throws an Error if a run is void or lost something: its costs would be meaningless */
export async function measureScenarios({ folder, names, env, log, signal }: MeasureOptions): Promise<void> {
  for (const name of names) {
    const { robots, rate, minutes, mix } = scenarios[name];
    log(`scenario ${name}`);
    const args = loadArguments(['--robots', String(robots), '--rate', String(rate), '--minutes', String(minutes)]);
    // A Redis of its own: costs must not depend on the data of a given one.
    const report = await runLoad({ args, mix, env: { ...env, PERCH_REDIS_URL: undefined }, log, signal });
    if (isVoid(report)) throw new Error(`the scenario ${name} is void: the load was ${report.late_ms} ms late`);
    if (report.lost + report.doubled > 0) throw new Error(`the scenario ${name} lost ${report.lost} and doubled ${report.doubled}`);
    writeFileSync(join(folder, costsFile(name)), `${JSON.stringify(report)}\n`);
  }
}

const lookRobots = 5000;
const robotsPerSmallAccount = 100;

export async function measureWebhookCheck(env: NodeJS.ProcessEnv): Promise<WebhookCheck> {
  return {
    robots: lookRobots,
    small_accounts_ms: await timeWebhookCheck(env, lookRobots / robotsPerSmallAccount, robotsPerSmallAccount),
    one_account_ms: await timeWebhookCheck(env, 1, lookRobots),
  };
}

async function timeWebhookCheck(env: NodeJS.ProcessEnv, accounts: number, robotsEach: number): Promise<number> {
  const redis = await startRedisProcess({ binary: requireRedisServer(env) });
  const store = await openStore({ url: redis.url, instance: `look-${randomBytes(4).toString('hex')}` });
  try {
    for (let i = 0; i < accounts; i++) {
      const { account } = await store.accounts.create({ email: `look-${i}@load.invalid` });
      for (let made = 0; made < robotsEach; made += 100) {
        await Promise.all(Array.from({ length: Math.min(100, robotsEach - made) }, () => store.robots.create({ account })));
      }
      await store.webhooks.create(account, { url: 'http://127.0.0.1:1/' });
    }
    // The first check loads the code.
    await store.webhookJobs.checkAll();
    const startedAt = performance.now();
    await store.webhookJobs.checkAll();
    return Math.round(performance.now() - startedAt);
  } finally {
    await store.close();
    await redis.stop();
  }
}
