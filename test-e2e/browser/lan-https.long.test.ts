/** `npm start -- --lan --https` as a phone meets it: in a browser that trusts the authority of this machine, and in one that does not. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { skipTest, toolCache } from '@perch/testkit';
import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from './fixture/chromium.js';
import { homeThatTrusts, needsCertutil } from './fixture/trusted-authority.js';

const main = fileURLToPath(new URL('../../packages/launcher/dist/main.js', import.meta.url));

describe('npm start -- --lan --https in a browser', function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'perch-https-'));
  const browsers: Browser[] = [];
  let perch: ChildProcess | null = null;
  let signInUrl: URL;
  let trusting: { home: string; remove: () => void } | null = null;

  before(async function () {
    if (process.platform !== 'linux') skipTest(this, 'browsers of other systems have other trust stores');
    await findBrowser().catch((error: Error) => skipTest(this, `a browser is needed: ${error.message}`));
    const certutil = await needsCertutil(this);
    const { PATH } = process.env;
    perch = spawn(process.execPath, [main, '--json', '--lan-address', '127.0.0.1', '--https', '--port', '0', '--link-port', '0', '--no-robot'], {
      env: { PATH, PERCH_STATE_DIR: folder, PERCH_TEST_CACHE: toolCache(process.env) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(perch.stdout!), 'line')) as [string];
    const ready = JSON.parse(line) as { sign_in_url: string; ca_file: string };
    signInUrl = new URL(ready.sign_in_url);
    trusting = await homeThatTrusts(certutil, ready.ca_file);
  });
  afterEach(() => Promise.all(browsers.splice(0).map((browser) => browser.close())));
  after(async () => {
    trusting?.remove();
    if (perch?.exitCode === null) {
      perch.kill();
      await once(perch, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** The names of this machine lead to it, as by mDNS. */
  async function open(home: string): Promise<Browser> {
    const { path, env } = await findBrowser();
    const browser = await chromium.launch({
      executablePath: path,
      env: { ...(process.env as Record<string, string>), ...env, HOME: home },
      chromiumSandbox: Object.keys(env).length === 0 && process.getuid?.() !== 0,
      args: ['--disable-background-networking', '--disable-dev-shm-usage', `--host-resolver-rules=MAP ${signInUrl.hostname} 127.0.0.1`],
    });
    browsers.push(browser);
    return browser;
  }

  it('opens the sign-in page by its name and by its address, and signs in with the printed link, once the authority is trusted', async () => {
    const { hostname, origin, port } = signInUrl;
    assert.match(hostname, /^perch-[0-9a-f]{6}\.local$/);
    const page = await (await open(trusting!.home)).newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    for (const address of [origin, `https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`]) {
      await page.goto(address);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.deepEqual([new URL(page.url()).protocol, await page.evaluate('isSecureContext')], ['https:', true], address);
    }
    await page.goto(signInUrl.href);
    await page.getByText('Demo robot').first().waitFor();
    assert.deepEqual(problems, []);
  });

  it('opens in no browser that does not trust the authority', async () => {
    const page = await (await open(folder)).newPage();
    await assert.rejects(page.goto(signInUrl.origin), /ERR_CERT_AUTHORITY_INVALID/);
  });
});
