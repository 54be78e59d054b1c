import assert from 'node:assert/strict';
import { waitingText } from '../../src/service/run-service.ts';

describe('the text of an instance that waits for Redis', () => {
  it('has the address and the user once, and what Redis said', () => {
    const text = 'Waiting for Redis at redis://r:6379 as user perch, tried again every few seconds: WRONGPASS invalid username-password pair';
    for (const before of ['', 'Redis at redis://r:6379 refused the connection: ', 'Redis at redis://r:6379 did not answer: '])
      assert.equal(waitingText('redis://r:6379 as user perch', new Error(`${before}WRONGPASS invalid username-password pair`)), text);
  });

  it('has no password that an error repeats', () => {
    assert.ok(!waitingText('redis://r:6379 as user perch', new Error('redis://perch:hunter2@r:6379 is wrong')).includes('hunter2'));
  });
});
