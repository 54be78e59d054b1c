import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@perch/cli';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { halves } from '../fixture/media/pictures.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

onSharedSystems(
  'perch',
  (system) => {
    let tenant: Tenant;
    let robot: VirtualRobot;
    let id: string;
    let environment: Record<string, string | undefined>;
    beforeEach(async () => {
      tenant = await system().tenant();
      ({ id, robot } = await tenant.robot({ instant: true }));
      environment = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, HOME: tmpdir() };
    });

    async function perch(...args: string[]): Promise<{ code: number; out: string; err: string }> {
      let out = '';
      let err = '';
      const code = await runProgram(args, { environment, out: (text) => (out += text), err: (text) => (err += text) });
      return { code, out, err };
    }

    it('perch ask prints the answer, and its exit code says if the question timed out or was replaced', async () => {
      const tea = perch('ask', 'Tea or coffee?', 'Tea', 'Coffee');
      await waitArmed(system(), id, robot);
      const first = await questionShown(robot);
      await robot.tap(...left);
      assert.deepEqual(await tea, { code: 0, out: 'Tea\n', err: '' });

      const older = perch('ask', 'Older?', 'Yes', 'No');
      await questionShown(robot, first);
      const newer = perch('ask', 'Newer?', 'Yes', 'No', '--timeout-s', '0.3', '--json');
      assert.deepEqual(await older, { code: 3, out: '', err: '' });
      const { code, out } = await newer;
      assert.equal(code, 2);
      assert.equal((JSON.parse(out) as { outcome: string }).outcome, 'timed_out');
    });

    it('perch screen and perch preview write a PNG, or JSON, and refuse to write it to a terminal', async () => {
      const written = async (...args: string[]): Promise<Buffer> => {
        const chunks: Uint8Array[] = [];
        const code = await runProgram(args, {
          environment,
          out: () => {},
          outBytes: (bytes) => chunks.push(bytes),
          err: (text) => assert.fail(text),
        });
        assert.equal(code, 0);
        return Buffer.concat(chunks);
      };
      const drawn = await written('preview', 'ask', 'Ship it?', 'Ship', 'Wait');
      assert.equal(drawn.toString('latin1', 1, 4), 'PNG');
      assert.equal(robot.screen.question, null);
      assert.equal((await perch('show', '--text', 'Hello')).code, 0);
      const screen = await written('screen');
      const asJson = await perch('screen', '--json');
      assert.ok(Buffer.from((JSON.parse(asJson.out) as { image: string }).image, 'base64').equals(screen));
      const refused = await perch('preview', 'ask', 'Ship it?', 'Ship');
      assert.deepEqual([refused.code, refused.out], [64, '']);
      assert.match(refused.err, /^perch: answers/);
      const terminal = { environment, out: () => {}, err: () => {}, isTerminal: true };
      assert.equal(await runProgram(['screen'], terminal), 64);
    });

    it('perch show shows a picture from a file, perch state prints the state, and rejected arguments are printed', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'perch-cli-'));
      try {
        await writeFile(join(folder, 'photo.jpg'), Buffer.from(halves(320, 240, 'red', 'blue', 'jpeg'), 'base64'));
        assert.deepEqual(await perch('show', '--image', join(folder, 'photo.jpg')), { code: 0, out: '', err: '' });
        assert.ok(robot.screen.card !== null);
      } finally {
        await rm(folder, { recursive: true });
      }
      const { out } = await perch('state');
      assert.match(out, new RegExp(`^${id} online `));
      assert.match(out, /battery_pct \d+/);
      const { code, err } = await perch('say', 'x'.repeat(81));
      assert.equal(code, 64);
      assert.match(err, /^perch: text: .*80/);
      assert.equal((await perch('say', 'Hi', '--robot', 'r-0000000000')).code, 5);
      await robot.stop();
      await until(async () => !(JSON.parse((await perch('state', '--json')).out) as { online: boolean }).online);
      assert.equal((await perch('stop')).code, 4);
    });

    it('perch watch prints one line per event', async () => {
      const pats = setInterval(() => void robot.pat(), 100);
      try {
        const { code, out } = await perch('watch', '--names', 'pat', '--count', '2');
        assert.equal(code, 0);
        assert.match(out, /^(?:\S+ \d+ pat ms=[\d.]+\n){2}$/);
        const events = (await perch('watch', '--after', '0', '--count', '2', '--json')).out.trim().split('\n');
        assert.equal((JSON.parse(events[0]!) as { name: string }).name, 'connected');
      } finally {
        clearInterval(pats);
      }
    });

    it('an interrupted perch ask removes its question from the screen', async () => {
      const child = spawn(process.execPath, [main, 'ask', 'Still there?', 'Yes', 'No'], { env: { ...process.env, ...environment } });
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      await waitArmed(system(), id, robot);
      child.kill('SIGINT');
      assert.equal(await ended, 'SIGINT');
      await robot.until(({ screen }) => screen.question === null, { what: 'the question to go' });
    });

    it('perch watch exits quietly when the reader of its output closes', async () => {
      const child = spawn(process.execPath, [main, 'watch', '--after', '0', '--names', 'connected,pat'], { env: { ...process.env, ...environment } });
      let err = '';
      child.stderr.on('data', (chunk) => (err += chunk));
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      child.stdout.destroy();
      const pats = setInterval(() => void robot.pat(), 100);
      try {
        assert.deepEqual([await ended, err], [0, '']);
      } finally {
        clearInterval(pats);
      }
    });
  },
  [shapes[0]!],
);
