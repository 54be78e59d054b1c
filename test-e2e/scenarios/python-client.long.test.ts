/** The Python client against the running services: runs `clients/python/tests` with robots that are tapped and patted. */
import assert from 'node:assert/strict';
import { pythonTestModules, pythonTests } from '../fixture/clients/python-client.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'the Python client',
  (system) => {
    it('the Python client passes its own tests against the running services', async function () {
      this.timeout(300_000);
      assert.ok((await pythonTests(this, system(), await pythonTestModules())) >= 40);
    });
  },
  [shapes[0]!],
);
