/** Small runs of the load with the real parts: built services, worker processes, robots, programs. */
import { redisAccessTo } from '@perch/launcher';
import { openStore, type Store } from '@perch/store';
import { redisUrl, skipTest } from '@perch/testkit';
import { defaultMix } from '../src/mix.js';
import { loadArguments } from '../src/options.js';
import type { Report } from '../src/report/report.js';
import { runLoad } from '../src/run.js';
import { removeLeftovers } from '../src/tenants.js';

const mix = { ...defaultMix, taps_per_robot_minute: 60, robots_per_account: 7, poll_seconds: 5, answer_after_ms: [100, 500] as const };

export interface LoadRuns {
  url(): string;
  run(args: readonly string[], signal: AbortSignal, log?: (line: string) => void): Promise<Report>;
  accountsOfRuns(): Promise<string[]>;
}

export function onLoadRuns(name: string, tests: (at: LoadRuns) => void): void {
  describe(`npm run load: ${name}`, function () {
    this.timeout(180_000);
    let url: string;
    let store: Store;

    before(async function () {
      if (process.platform !== 'linux') skipTest(this, 'the load reads /proc');
      url = await redisUrl();
      store = await openStore({ ...redisAccessTo(url, process.env), instance: 'load-test' });
      await removeLeftovers(store);
    });
    after(() => store?.close());

    tests({
      url: () => url,
      run: (args, signal, log = () => undefined) => {
        const env = { ...process.env, PERCH_REDIS_URL: url };
        return runLoad({
          args: loadArguments(['--robots', '20', '--rate', '20', '--minutes', '0.1', '--workers', '2', ...args]),
          mix,
          env,
          log,
          signal,
        });
      },
      accountsOfRuns: async () => (await store.accounts.list()).map(({ email }) => email).filter((email) => email.endsWith('@load.invalid')),
    });
  });
}
