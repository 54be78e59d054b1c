import assert from 'node:assert/strict';
import { InstallError, installRobot } from '@perch/installer';
import { SerialRobot } from '@perch/testkit';
import { assertInstalled, optionsFor, showCode } from './installed-robot.js';

/** Raw-paste mode, which UIFlow2 offers and the interpreter's WebAssembly build does not: the peer is written after the documentation and pyexec.c. */
describe('installRobot, through raw-paste mode', () => {
  for (const windowBytes of [128, 1, 1000]) {
    it(`installs byte for byte with a window of ${windowBytes} bytes, and never sends more than the robot has permitted`, async () => {
      const robot = await SerialRobot.start({ onRestart: showCode, paste: { windowBytes } });
      const { report } = await installRobot(await optionsFor(robot));
      assert.equal(report.kind, 'code');
      await assertInstalled(robot);
      assert.ok(robot.pasted > 10, `${robot.pasted} programs were pasted`);
      assert.equal(robot.overflowed, false);
    });
  }

  for (const failsAfterBytes of [10, 300]) {
    it(`reports the exception of a compiler that fails after ${failsAfterBytes} bytes, and starts the robot's program again`, async () => {
      const robot = await SerialRobot.start({ paste: { windowBytes: 128, failsAfterBytes } });
      await assert.rejects(
        installRobot(await optionsFor(robot)),
        (error) => error instanceof InstallError && error.code === 'device_failed' && /MemoryError: memory allocation failed/.test(error.message),
      );
      assert.equal(robot.restarts, failsAfterBytes > 'import machine\nmachine.reset()'.length ? 1 : 0);
    });
  }
});
