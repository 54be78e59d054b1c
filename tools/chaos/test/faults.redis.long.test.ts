import assert from 'node:assert/strict';
import { accountFaults } from './faults/account-faults.js';
import { connectionFaults } from './faults/connection-faults.js';
import { onFaultSystem } from './faults/fault-system.js';
import { operationFaults } from './faults/operation-faults.js';
import { processFaults } from './faults/process-faults.js';
import { redisFaults } from './faults/redis-faults.js';

onFaultSystem('faults of a system of services', ({ system, environment, crashes }) => {
  afterEach(() => {
    assert.deepEqual(crashes.splice(0), []);
    for (const { place, running, reachable, served } of system().instances)
      assert.deepEqual([running.well, reachable.well, served.well], [true, true, true], place);
  });

  connectionFaults(environment);
  processFaults(environment);
  operationFaults(environment);
  redisFaults(environment);
  accountFaults(environment);
});
