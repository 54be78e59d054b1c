import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsMicropython, until } from '@perch/testkit';
import { anyPorts, ask, descendants, isAlive, onStarts, robotOf, Start, type Ready } from './starts.js';

onStarts('with the robot program in MicroPython', ({ start, state }) => {
  const options = ['--json', ...anyPorts, '--robot', 'micropython'];
  const isRobot = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('robots/micropython/main.py');

  describe('where there is one', () => {
    let folder = '';
    let system: Start;
    let ready: Ready;
    const robots = (): number[] => descendants(system.process.pid!).filter(isRobot);
    before(async function () {
      await needsMicropython(this);
      const given = process.env['PERCH_MICROPYTHON'];
      folder = mkdtempSync(join(tmpdir(), 'perch state '));
      system = new Start(options, folder, given ? { PERCH_MICROPYTHON: given } : {});
      ready = await system.ready();
    });
    after(async () => {
      await system?.endIfRunning();
      if (folder !== '') rmSync(folder, { recursive: true, force: true });
    });

    it('has a demo robot that is the real program, a process of its own, at which the simulated person answers', async () => {
      const robot = await robotOf(ready);
      assert.equal(robot.online, true);
      assert.match(robot.firmware, /^micropython-1\.\d+\.\d+ perch-/);
      assert.equal(robots().length, 1);
      const answer = await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
      assert.equal(answer['outcome'], 'answered');
      assert.ok(!system.err.includes('ignored'), system.err);
    });

    it('starts the robot program again after it was killed, and it ends with the system', async () => {
      const [first] = robots();
      process.kill(first!, 'SIGKILL');
      const second = (): number[] => robots().filter((pid) => pid !== first);
      await until(() => second().length === 1, { what: 'another process of the robot' });
      const [pid] = second();
      await until(async () => (await robotOf(ready)).online, { what: 'the robot to be back' });
      assert.match(system.err, /demo robot: the robot program has ended/);
      assert.equal(await system.end(), 0, system.err);
      await until(() => !isAlive(pid!), { what: 'the robot to end' });
    });
  });

  it('says what to install where there is no MicroPython and none may be downloaded', async () => {
    const system = start(options, { PERCH_TEST_CACHE: join(state(), 'tools'), PERCH_MICROPYTHON: join(state(), 'missing') });
    assert.equal(await system.ended, 1);
    assert.match(system.err, /--robot micropython: the unix build of MicroPython is needed \(micropython on PATH, or PERCH_MICROPYTHON\)/);
  });
});
