import assert from 'node:assert/strict';
import { until } from '@perch/testkit';

describe('until', () => {
  it('returns the first truthy value of the condition', async () => {
    let asked = 0;
    assert.equal(await until(() => (++asked === 3 ? 'third' : null)), 'third');
  });

  it('throws with the description of the condition and its last error as cause', async () => {
    const never = until(() => Promise.reject(new Error('not there')), { timeoutMs: 20, what: 'the robot' });
    await assert.rejects(never, (error: Error) => {
      assert.match(error.message, /waited 20 ms for the robot/);
      assert.match(String(error.cause), /not there/);
      return true;
    });
  });
});
