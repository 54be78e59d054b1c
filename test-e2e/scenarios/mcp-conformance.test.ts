import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipTest } from '@perch/testkit';
import { KeyedProxy } from '../fixture/clients/keyed-proxy.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/test-system.js';

const run = promisify(execFile);
/** Does not load on Node 20. Pinned, because the baseline names scenarios, which change between versions. */
const packages = ['-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12'];
const baseline = fileURLToPath(new URL('../fixture/clients/mcp-conformance-baseline.yml', import.meta.url));

onSharedSystems(
  'mcp conformance',
  (system) => {
    it('every expected failure of the conformance suite stands below its reason', async () => {
      const lines = (await readFile(baseline, 'utf8')).trimEnd().split('\n');
      const entries = lines.slice(lines.indexOf('server:') + 1);
      assert.match(entries[0]!, /^ {2}# /);
      let reasons = 0;
      let named = 1;
      for (const line of entries) {
        if (/^ {2}# \S.{20,}[.:]$/.test(line)) {
          assert.ok(named > 0, `nothing stands below: ${line}`);
          reasons += 1;
          named = 0;
        } else {
          assert.match(line, /^ {2}- [\w:-]+$/);
          named += 1;
        }
      }
      assert.ok(named > 0 && reasons >= 5);
    });

    it('every conformance scenario of both eras that applies to a server without fixtures passes; the baseline has the reasons for the others', async function () {
      this.timeout(180_000);
      const env = { ...process.env, NO_COLOR: '1', npm_config_fetch_retries: '0', npm_config_update_notifier: 'false' };
      const npx = (...args: string[]) => run('npx', ['--yes', ...packages, ...args], { env, timeout: 150_000, maxBuffer: 32_000_000 });
      await npx('conformance', '--version').catch((error: Error) =>
        skipTest(this, `Node 24 and the suite cannot be had through npx: ${error.message.slice(0, 200)}`),
      );

      const tenant = await system().tenant();
      await tenant.robot();
      const proxy = await KeyedProxy.open(system().gateway(), tenant.key);
      try {
        const { stdout } = await npx('conformance', 'server', '--url', `${proxy.base}/mcp`, '--suite', 'all', '--expected-failures', baseline).catch(
          (error: Error & { stdout?: string }) => assert.fail(`${error.message}\n${error.stdout}`),
        );
        for (const scenario of ['server-initialize', 'ping', 'tools-list', 'http-header-validation', 'dns-rebinding-protection'])
          assert.match(stdout, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
        assert.match(stdout, /server-stateless: 2\d passed/);
      } finally {
        await proxy.close();
      }
    });
  },
  [shapes[0]!],
);
