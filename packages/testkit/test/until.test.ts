import assert from 'node:assert/strict';
import { until } from '@perch/testkit';

describe('until', () => {
  it('answers what the condition answered', async () => {
    let asked = 0;
    assert.equal(await until(() => (++asked === 3 ? 'third' : null)), 'third');
  });

  it('names what it waited for, and why it was not met', async () => {
    const never = until(() => Promise.reject(new Error('not there')), { timeoutMs: 20, what: 'the robot' });
    await assert.rejects(never, (error: Error) => {
      assert.match(error.message, /waited 20 ms for the robot/);
      assert.match(String(error.cause), /not there/);
      return true;
    });
  });
});
