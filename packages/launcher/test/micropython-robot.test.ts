import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsMicropython, until } from '@perch/testkit';
import { anyPorts, ask, descendants, onStarts, robotOf } from './starts.js';

onStarts('with the robot program in MicroPython', ({ start, state }) => {
  const options = ['--json', ...anyPorts, '--robot', 'micropython'];
  const isRobot = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('robots/micropython/main.py');

  describe('where there is one', () => {
    before(async function () {
      await needsMicropython(this);
    });

    it('has a demo robot that is the real program, a process of its own, at which the simulated person answers', async () => {
      const given = process.env['PERCH_MICROPYTHON'];
      const system = start(options, given ? { PERCH_MICROPYTHON: given } : {});
      const ready = await system.ready();
      const robot = await robotOf(ready);
      assert.equal(robot.online, true);
      assert.match(robot.firmware, /^micropython-1\.\d+\.\d+ perch-/);
      assert.equal(descendants(system.process.pid!).filter(isRobot).length, 1);
      const answer = await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
      assert.equal(answer['outcome'], 'answered');
      assert.equal(await system.end(), 0, system.err);
      assert.ok(!system.err.includes('ignored'), system.err);
    });

    it('starts the robot program again after it was killed, and it ends with the system', async () => {
      const given = process.env['PERCH_MICROPYTHON'];
      const system = start(options, given ? { PERCH_MICROPYTHON: given } : {});
      const ready = await system.ready();
      const [first] = descendants(system.process.pid!).filter(isRobot);
      process.kill(first!, 'SIGKILL');
      const second = (): number[] => descendants(system.process.pid!).filter((pid) => pid !== first && isRobot(pid));
      await until(() => second().length === 1, { timeoutMs: 30_000, what: 'another process of the robot' });
      await until(async () => (await robotOf(ready)).online, { timeoutMs: 30_000, what: 'the robot to be back' });
      assert.match(system.err, /demo robot: the robot program has ended/);
      assert.equal(await system.end(), 0, system.err);
    });
  });

  it('says what to install where there is no MicroPython and none may be downloaded', async () => {
    const system = start(options, { PERCH_TEST_CACHE: join(state(), 'tools'), PERCH_MICROPYTHON: join(state(), 'missing') });
    assert.equal(await system.ended, 1);
    assert.match(system.err, /--robot micropython: the unix build of MicroPython is needed \(micropython on PATH, or PERCH_MICROPYTHON\)/);
  });
});
