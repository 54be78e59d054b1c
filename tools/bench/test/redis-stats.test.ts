import assert from 'node:assert/strict';
import { commandsOfEach } from '../src/redis-stats.js';

describe('the number of Redis commands of a call', () => {
  const oneInFlight = { calls: 500, elapsedMs: 2640 };

  it('counts what each call sends, and not what the system sends by the clock meanwhile', () => {
    const counted = new Map([
      ['publish', 1000],
      ['evalsha admit', 500],
      ['time', 13],
      ['evalsha beat', 13],
      ['evalsha activity', 3],
    ]);
    assert.equal(commandsOfEach(counted, oneInFlight), 3);
  });

  it('counts a command that 64 calls share', () => {
    const counted = new Map([
      ['publish', 150],
      ['evalsha admit', 63],
      ['time', 12],
    ]);
    assert.equal(commandsOfEach(counted, { calls: 4000, elapsedMs: 2000 }), 213 / 4000);
  });

  it('counts a command that each call sends in addition, of whatever kind', () => {
    const counted = new Map([
      ['publish', 1000],
      ['evalsha admit', 500],
      ['get', 500],
    ]);
    assert.equal(commandsOfEach(counted, oneInFlight), 4);
  });
});
