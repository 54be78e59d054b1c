import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { builtRelease, needsHaproxy, skipTest } from '@perch/testkit';
import { balancerDies } from '../../src/faults/operation/balancer-dies.js';
import { oldVersion } from '../../src/faults/operation/old-version.js';
import { replaceAll } from '../../src/faults/operation/replace-all.js';
import type { FaultTestEnvironment } from './fault-environment.js';

const timeoutMs = 120_000;

export function operationFaults(environment: () => FaultTestEnvironment): void {
  it('old-version: replaces one instance by one of the last release, and that one by this version', async function () {
    this.timeout(timeoutMs);
    const tree = builtRelease() ?? skipTest(this, 'the last release is not built (npm run rolling builds it)');
    const ofLastRelease = (): number =>
      environment().system.instances.filter(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(tree.root)).length;
    await environment().during(oldVersion, async () => assert.equal(ofLastRelease(), 1));
    assert.equal(ofLastRelease(), 0);
  });

  it('replace-all: replaces every process', async function () {
    this.timeout(timeoutMs);
    const before = environment().system.instances.map(({ pid }) => pid);
    await environment().during(replaceAll, async () => undefined);
    for (const [i, { pid, place }] of environment().system.instances.entries()) assert.ok(pid !== 0 && pid !== before[i], place);
  });

  it('balancer-dies: calls reach a gateway through HAProxy, are refused while it is down, and reach the gateway directly afterwards', async function () {
    this.timeout(timeoutMs);
    needsHaproxy(this);
    const [gateway] = environment().system.gateways;
    const direct = gateway!.url;
    const status = async (): Promise<number> => (await fetch(`${gateway!.url}/v1/robots`)).status;
    await environment().during(balancerDies, async () => {
      assert.notEqual(gateway!.url, direct);
      await assert.rejects(status());
    });
    assert.equal(gateway!.url, direct);
    assert.equal(await status(), 401);
  });
}
