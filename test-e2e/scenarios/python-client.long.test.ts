/** The Python client against the running services: runs `clients/python/tests` with robots that are tapped and patted. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { pythonClient, pythonTests } from '../fixture/clients/python-client.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'the Python client',
  (system) => {
    it('the Python client passes its own tests against the running services', async function () {
      this.timeout(300_000);
      const modules = (await readdir(`${pythonClient}tests`)).filter((name) => /^test_\w+\.py$/.test(name));
      assert.ok((await pythonTests(this, system(), modules)) >= 40);
    });
  },
  [shapes[0]!],
);
