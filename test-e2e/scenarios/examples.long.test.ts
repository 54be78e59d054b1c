/** The programs of `examples` that `examples.test.ts` leaves out, each as a process against the built services. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VirtualRobot } from '@perch/virtual-robot';
import { Example } from '../fixture/clients/example.js';
import { questionShown, waitArmed, left, right } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'examples',
  (system) => {
    let tenant: Tenant;
    let id: string;
    let robot: VirtualRobot;
    let env: Record<string, string>;
    beforeEach(async () => {
      tenant = await system().tenant();
      ({ id, robot } = await tenant.robot({ instant: true }));
      env = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id };
    });

    it('the pomodoro counts work and breaks down, and stops when the person chooses so', async () => {
      const running = new Example('pomodoro.mjs', env, ['0.002', '0.001']);
      await waitArmed(system(), id, robot);
      const first = await questionShown(robot);
      await robot.tap(...left);
      await questionShown(robot, first);
      await waitArmed(system(), id, robot);
      await robot.tap(...right);
      const out = await running.result();
      assert.equal(out, 'Round 1: 0.002 min\nBreak: 0.001 min\nRound 2: 0.002 min\nBreak: 0.001 min\n');
      assert.equal(robot.bubble?.text, 'Well done!');
    });

    it('the door-bell rings for a pat, asks who it is, and reports it', async () => {
      const running = new Example('door-bell.mjs', env);
      try {
        await robot.until(({ screen }) => screen.card !== null, { what: 'the welcome' });
        const pats = setInterval(() => void robot.pat(), 100);
        await questionShown(robot).finally(() => clearInterval(pats));
        assert.equal(robot.sounds.length, 1);
        await waitArmed(system(), id, robot);
        await robot.tap(...left);
        await robot.until(() => / is at the door\n/.test(running.out));
        assert.match(running.out, /^waiting\n\S+ \S+ (?:Parcel|Neighbour) is at the door\n/);
      } finally {
        running.stop();
        await running.ended();
      }
      assert.equal(running.err, '');
    });

    it('the status card shows the last line of a command, and its end with its exit code', async () => {
      const failing = new Example('status.mjs', env, ["echo one; echo 'two of three'; sleep 0.2; exit 3"]);
      await failing.ended();
      assert.equal(failing.out, 'one\ntwo of three\n');
      assert.equal(failing.exitCode, 3);
      assert.equal(robot.sounds.length, 1);
      assert.ok(robot.screen.card !== null);

      const good = new Example('status.mjs', env, ['echo done']);
      assert.equal(await good.result(), 'done\n');
      assert.equal(robot.sounds.length, 2);
    });

    it('the status card leaves the exit code of a command as it is when the robot is away', async () => {
      const { id: away } = await tenant.offlineRobot();
      const running = new Example('status.mjs', { ...env, PERCH_ROBOT: away }, ['exit 0']);
      await running.ended();
      assert.equal(running.exitCode, 0);
      assert.match(running.err, /The robot: .*offline/);
    });

    it('the meeting light turns red for a pat on the head, and green for the next and at the end of the time', async () => {
      const running = new Example('meeting-light.mjs', env, ['0.02']);
      const said = (text: string): Promise<unknown> => robot.until(() => running.out === text, { what: text });
      const strongest = (): string => {
        const [red, green] = [1, 3].map((at) => parseInt(robot.leds.pixels[0]!.slice(at, at + 2), 16)) as [number, number];
        return red > green ? 'red' : 'green';
      };
      try {
        await said('free\n');
        await robot.pat();
        await said('free\nin a meeting\n');
        assert.equal(strongest(), 'red');
        await said('free\nin a meeting\nfree\n');
        assert.equal(strongest(), 'green');
      } finally {
        running.stop();
        await running.ended();
      }
      assert.equal(running.err, '');
    });

    it('the build lamp follows the newest run: yellow, then green, red, and purple when GitHub does not answer', async () => {
      let answer: object | null = { workflow_runs: [{ name: 'CI', run_number: 7, status: 'in_progress', conclusion: null }] };
      const github = createServer((request, response) => {
        assert.equal(request.url, '/repos/me/app/actions/runs?per_page=1&branch=main');
        response.writeHead(answer === null ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
      });
      await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
      const api = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
      const running = new Example('build-lamp.mjs', { ...env, GITHUB_API_URL: api, POLL_SECONDS: '0.1' }, ['me/app']);
      const said = (text: string): Promise<unknown> => robot.until(() => running.out.endsWith(text), { what: text });
      try {
        await said('running: CI #7\n');
        answer = { workflow_runs: [{ name: 'CI', run_number: 7, status: 'completed', conclusion: 'success' }] };
        await said('passed: CI #7\n');
        answer = { workflow_runs: [{ name: 'CI', run_number: 8, status: 'completed', conclusion: 'failure' }] };
        await said('failure: CI #8\n');
        answer = null;
        await said('unknown: GitHub answers 500\n');
      } finally {
        running.stop();
        await running.ended();
        await new Promise((resolve) => github.close(resolve));
      }
      assert.equal(running.err, '');
      assert.deepEqual(robot.violations, []);
    });

    it('the dice roll until somebody has won', async () => {
      const running = new Example('dice.mjs', env, ['6']);
      const taps = setInterval(() => void (Math.random() < 0.5 ? robot.tap(...left) : robot.tap(...right)), 60);
      try {
        const out = await running.result();
        const last = /(You|Robot): (\d+)\n\1 won\n$/.exec(out);
        assert.ok(Number(last?.[2]) >= 6, out);
      } finally {
        clearInterval(taps);
      }
      assert.deepEqual(robot.violations, []);
    });
  },
  [shapes[0]!],
);
