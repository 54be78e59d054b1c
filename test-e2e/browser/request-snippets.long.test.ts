import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipTest } from '@perch/testkit';
import { halves } from '../fixture/media/pictures.js';
import { choose, press, snippet } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

onBrowserSystem('the request snippets of the robot page', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

  it('the request snippets run, and name what they need: curl, TypeScript, Python and the message to /mcp', async function () {
    this.timeout(240_000);
    await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).catch(() => skipTest(this, 'there is no Python 3.9 on PATH'));
    const { user, page, robot } = await opened();
    const { api_key: key } = await user.call('POST', '/console/keys', { name: 'programs', robots: '*' });
    const folder = await mkdtemp(join(tmpdir(), 'perch-snippets-'));
    try {
      await mkdir(join(folder, 'node_modules/@perch'), { recursive: true });
      await symlink(here('../../packages/client'), join(folder, 'node_modules/@perch/client'), 'junction');
      const png = Buffer.from(halves(64, 48, '#ff0000', '#0000ff'), 'base64');
      await writeFile(join(folder, "it's.png"), png);
      const options = {
        cwd: folder,
        timeout: 60_000,
        env: { ...process.env, PERCH_API_KEY: key, PYTHONPATH: here('../../clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
      };
      const programs: Record<string, (text: string) => Promise<string>> = {
        curl: async (text) => (await run('sh', ['-c', text], options)).stdout,
        TypeScript: async (text) => {
          await writeFile(join(folder, 'program.mjs'), text);
          return (await run(process.execPath, ['program.mjs'], options)).stdout;
        },
        Python: async (text) => (await run('python3', ['-c', text], options)).stdout,
      };
      for (const [as, needs] of [
        ['curl', 'Run it with'],
        ['TypeScript', 'packages/client'],
        ['Python', 'pip install ./clients/python'],
      ] as const) {
        await snippet(page, as);
        await page.getByRole('region', { name: 'Request', exact: true }).getByText(needs).waitFor();
      }
      const tries = async (check: (as: string) => Promise<void>): Promise<void> => {
        for (const [as, runs] of Object.entries(programs)) {
          const said = await runs(await snippet(page, as));
          assert.match(said, /'?"?ok"?'?: *[tT]rue/, `${as}: ${said}`);
          await check(as);
        }
      };

      const odd = `it's "odd": $HOME \\ \`x\` ü`;
      await choose(page, 'say');
      await page.getByRole('textbox', { name: 'text' }).fill(odd);
      await page.getByRole('textbox', { name: 'seconds' }).fill('30');
      await tries(async (as) => {
        await robot.until(({ bubble }) => bubble?.text === odd, { what: `what was said by ${as}` });
        robot.restart();
        await robot.until(({ online, bubble }) => online && bubble === null, { what: 'a fresh start' });
      });
      const answer = await fetch(`${user.base}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: await snippet(page, 'MCP'),
      });
      assert.match(await answer.text(), /"ok\\?":true/);
      await robot.until(({ bubble }) => bubble?.text === odd, { what: 'what was said by an agent' });

      await choose(page, 'show');
      await press(page, 'Clear form');
      await page.getByLabel('image', { exact: true }).setInputFiles({ name: "it's.png", mimeType: 'image/png', buffer: png });
      await page.getByText("it's.png: 1 KB").waitFor();
      let shown: string | undefined;
      await tries(async (as) => {
        await robot.until(({ screen }) => screen.card !== null && screen.card.id !== shown, { what: `the picture of ${as}` });
        shown = robot.screen.card!.id;
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
