import assert from 'node:assert/strict';
import { Liveness, type RobotSocket } from '../src/session/robot-socket.js';

const times = { silenceMs: 45_000, pingMs: 15_000 };
const reading = { isStalled: () => false } as unknown as RobotSocket;

describe('the liveness of robots', () => {
  it('pings 1,000 robots that connect at once at different times, and each of them every 15 s', () => {
    const robots = Array.from({ length: 1000 }, () => new Liveness(0, times.pingMs));
    const pings = robots.map((): number[] => []);
    const perSecond: number[] = [];
    for (let now = 1000; now <= 45_000; now += 1000) {
      let count = 0;
      for (const [i, robot] of robots.entries()) {
        robot.received(10);
        if (robot.check(now, 1000, reading, times) !== 'ping') continue;
        pings[i]!.push(now);
        count++;
      }
      perSecond.push(count);
    }
    // On average 67; the chance of 120 by accident is below one in a million.
    assert.ok(Math.max(...perSecond) < 120, perSecond.join(' '));
    for (const [first, second, third] of pings) assert.deepEqual([second! - first!, third! - second!], [times.pingMs, times.pingMs]);
  });

  it('finds a robot silent that sent nothing for longer than its silence may last', () => {
    const robot = new Liveness(0, times.pingMs);
    robot.received(10);
    robot.check(1000, 1000, reading, times);
    assert.notEqual(robot.check(46_000, 1000, reading, times), 'silent');
    assert.equal(robot.check(46_001, 1000, reading, times), 'silent');
  });
});
