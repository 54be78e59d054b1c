import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@perch/testkit';
import { KeyedProxy } from '../fixture/clients/keyed-proxy.js';
import { conformance, conformanceOfAuthorization, needsConformance } from '../fixture/clients/mcp-conformance.js';
import { PageSession } from '../fixture/clients/page-session.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

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
      await needsConformance(this);
      const tenant = await system().tenant();
      await tenant.robot();
      const proxy = await KeyedProxy.open(system().gateway(), tenant.key);
      try {
        const stdout = await conformance('server', '--url', `${proxy.base}/mcp`, '--suite', 'all', '--expected-failures', baseline);
        for (const scenario of ['server-initialize', 'ping', 'tools-list', 'http-header-validation', 'dns-rebinding-protection'])
          assert.match(stdout, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
        assert.match(stdout, /server-stateless: 2\d passed/);
      } finally {
        await proxy.close();
      }
    });

    it('every conformance scenario of authorization servers passes: metadata, and a code that the user grants', async function () {
      this.timeout(180_000);
      await needsConformance(this);
      const tenant = await system().tenant();
      const page = await PageSession.begin(system(), tenant.account);
      const issuer = system().gateway();
      const port = await freePort();
      const registered = await fetch(`${issuer}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
      });
      assert.equal(registered.status, 201);
      const { client_id } = (await registered.json()) as { client_id: string };
      const allow = async (address: string): Promise<void> => {
        const granted = { query: new URL(address).search.slice(1), robots: '*', scopes: ['read'] };
        const { status, body } = await page.ask('POST', 'authorizations', granted);
        assert.equal(status, 200, JSON.stringify(body));
        // The suite may end before its answer has arrived; that it received the code is what it grades.
        await fetch(body.redirect).catch(() => undefined);
      };
      const server = ['--url', issuer, '--resource', `${issuer}/mcp`, '--client-id', client_id, '--port', String(port)];
      const output = await conformanceOfAuthorization(allow, ...server);
      for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
        assert.match(output, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`), output);
    });
  },
  [shapes[0]!],
);
