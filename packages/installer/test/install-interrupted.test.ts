import assert from 'node:assert/strict';
import { installRobot } from '@perch/installer';
import { SerialRobot } from '@perch/testkit';
import { assertFails, assertInstalled, fewFiles, optionsFor, showCode } from './installed-robot.js';

describe('installRobot, interrupted', function () {
  this.timeout(120_000);

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

describe('installRobot, interrupted by its caller', function () {
  this.timeout(120_000);

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
      for (const share of [0, 0.05, 0.5, 0.9]) {
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
    const { said } = await installRobot(await optionsFor(robot, { signal: controller.signal }));
    assert.deepEqual(said, { kind: 'silent', reason: null });
    await assertInstalled(robot);
  });
});
