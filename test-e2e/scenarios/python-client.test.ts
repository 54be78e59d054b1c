/** The README of the Python client against the running services, its retries and its faults; `python-client.long.test.ts` runs its other tests. */
import assert from 'node:assert/strict';
import { pythonTests } from '../fixture/clients/python-client.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'the Python client',
  (system) => {
    it('the Python client runs the examples of its README, and passes its tests of retries and faults', async function () {
      assert.ok((await pythonTests(this, system(), ['test_readme.py', 'test_retries.py', 'test_faults.py'])) >= 24);
    });
  },
  [shapes[0]!],
);
