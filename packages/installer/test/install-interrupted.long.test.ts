import assert from 'node:assert/strict';
import { installRobot } from '@perch/installer';
import { SerialRobot } from '@perch/testkit';
import { assertFails, assertInstalled, fewFiles, optionsFor, showCode } from './installed-robot.js';

describe('installRobot, interrupted', () => {
  async function assertWholeIfStarted({ files }: SerialRobot): Promise<void> {
    if (!files.has('main.py')) return;
    for (const { path } of await fewFiles()) assert.ok(files.has(path), `main.py without ${path}`);
  }

  it('continues after a power cut at any point of the upload, and never leaves main.py without the files that it needs', async () => {
    const whole = await SerialRobot.start({ onRestart: showCode });
    await installRobot(await optionsFor(whole));
    const cuts = Array.from({ length: 8 }, (_, index) => Math.floor(((index + 0.5) * whole.received) / 8));
    for (const cutAfterBytes of cuts) {
      const robot = await SerialRobot.start({ onRestart: showCode });
      robot.cutAfterBytes = cutAfterBytes;
      await assertFails(robot, 'port_lost');
      await assertWholeIfStarted(robot);
      robot.cutAfterBytes = Infinity;
      await robot.powerOn();
      let sent = 0;
      await installRobot(await optionsFor(robot, { onProgress: ({ total }) => (sent = total ?? sent) }));
      await assertInstalled(robot);
      if (cutAfterBytes > whole.received / 2) assert.ok(sent < (await fewFiles()).length, 'what had arrived was sent again');
    }
  });

  it('continues after a power cut between any two renamings', async () => {
    const count = (await fewFiles()).length + 1;
    for (let renames = 0; renames < count; renames += 1) {
      const robot = await SerialRobot.start({ onRestart: showCode });
      robot.cutAfterRenames = renames;
      await assertFails(robot, 'port_lost');
      await assertWholeIfStarted(robot);
      robot.cutAfterRenames = Infinity;
      await robot.powerOn();
      await installRobot(await optionsFor(robot));
      await assertInstalled(robot);
    }
  });
});
