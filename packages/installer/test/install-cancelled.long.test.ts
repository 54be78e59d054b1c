import assert from 'node:assert/strict';
import { installRobot } from '@perch/installer';
import { SerialRobot } from '@perch/testkit';
import { assertFails, assertInstalled, optionsFor, showCode } from './installed-robot.js';

describe('installRobot, interrupted by its caller', () => {
  /** Interrupts once the robot has received that many bytes. */
  function interruptedAfter(robot: SerialRobot, bytes: number): AbortSignal {
    const controller = new AbortController();
    robot.onReceived = () => robot.received >= bytes && controller.abort();
    return controller.signal;
  }

  for (const paste of [undefined, { windowBytes: 128 }]) {
    it(`leaves the robot running, and continues later, wherever it is interrupted${paste ? ', in raw-paste mode too' : ''}`, async () => {
      const whole = await SerialRobot.start({ onRestart: showCode, paste });
      await installRobot(await optionsFor(whole));
      for (const share of [0, 0.1, 0.9]) {
        const robot = await SerialRobot.start({ onRestart: showCode, paste });
        robot.putFile('main.py', 'print("mine")');
        await assertFails(robot, 'interrupted', { signal: interruptedAfter(robot, share * whole.received) });
        await robot.restarted();
        assert.equal(robot.restarts, 1, 'the robot is still stopped');
        assert.equal(Buffer.from(robot.files.get('main.py')!).toString(), 'print("mine")', 'the program that it had is not there');
        robot.onReceived = null;
        await installRobot(await optionsFor(robot));
        await assertInstalled(robot);
      }
    });
  }

  it('says that the robot is stopped when it cannot be started again', async () => {
    const robot = await SerialRobot.start();
    const controller = new AbortController();
    robot.onReceived = () => {
      if (robot.received < 2000) return;
      controller.abort();
      robot.hangs = true;
    };
    await assertFails(robot, 'interrupted_stopped', { signal: controller.signal, restoreMs: 100 });
    assert.equal(robot.restarts, 0);
  });

  it('is complete when it is interrupted after the restart, while it waits for the code', async () => {
    const controller = new AbortController();
    const robot = await SerialRobot.start({ onRestart: () => controller.abort() });
    const { report } = await installRobot(await optionsFor(robot, { signal: controller.signal }));
    assert.deepEqual(report, { kind: 'silent', reason: null });
    await assertInstalled(robot);
  });
});
