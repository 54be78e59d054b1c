/** Buttons that decide something: nothing that a person cannot have read is decided. The clock of the page is the test's. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceProcess } from '@perch/launcher';
import { until } from '@perch/testkit';
import type { Locator, Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser, BrowserUserOptions } from './fixture/browser-user.js';
import { WindowFocus } from './fixture/window-focus.js';

onBrowserSystem('decisions on the web page', ({ system, visit }) => {
  let site: Server;
  let elsewhere: string;
  let gateway: ServiceProcess;
  before(async () => {
    site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://site');
      const parts: Record<string, [type: string, text: string]> = {
        // Opens a window in front of the page, which meanwhile goes to what is to be decided.
        '/game': [
          'text/html',
          `<title>Game</title><button onclick="open('/again', '', 'popup,width=400,height=300'); location = window.name">Play</button>`,
        ],
        // Under the second press of a double click is what lay behind the window.
        '/again': ['text/html', `<title>Game</title><script>addEventListener('mousedown', () => close())</script>Double click here`],
        '/client.json': [
          'application/json',
          JSON.stringify({ client_id: `${elsewhere}/client.json`, client_name: 'Verified', redirect_uris: [`${elsewhere}/callback`] }),
        ],
      };
      const [type, text] = parts[pathname] ?? ['text/html', '<title>Site</title>'];
      response.setHeader('content-type', type).end(text);
    });
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
    elsewhere = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    // The metadata of the verified client is on this machine.
    gateway = await system().cluster.add('gateway', { PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_TRUST_PROXY: '1' });
  });
  after(async () => {
    await gateway?.stop(5000);
    site?.closeAllConnections();
    site?.close();
  });

  async function signedUp(options: BrowserUserOptions = {}): Promise<BrowserUser> {
    const user = await visit({ elsewhere, ...options }, gateway.address);
    await user.context.clock.install();
    await user.signUp();
    return user;
  }

  function consentOf(client: string): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: `${elsewhere}/callback`,
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
    });
    return `${gateway.address}/authorize?${query.toString()}`;
  }

  async function unverified(user: BrowserUser): Promise<string> {
    const made = await user.context.request.post('/oauth/register', { data: { client_name: 'Claude', redirect_uris: [`${elsewhere}/callback`] } });
    return consentOf(((await made.json()) as { client_id: string }).client_id);
  }

  /** Stops the clock of all pages, which has run until here. */
  async function stopClock(user: BrowserUser): Promise<void> {
    await user.context.clock.pauseAt(Number(await user.page.evaluate('Date.now()')) + 60_000);
  }

  /** Counts requests that decide something. */
  function decisionsOf(page: Page): () => Promise<number> {
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() !== 'GET' && !request.url().endsWith('/find')) sent += 1;
    });
    return async () => {
      // A press that decides sends its request before the page answers.
      for (let i = 0; i < 3; i++)
        await page.evaluate(
          'new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); })',
        );
      return sent;
    };
  }

  async function middleOf(button: Locator): Promise<[number, number]> {
    const { x, y, width, height } = (await button.boundingBox())!;
    return [x + width / 2, y + height / 2];
  }

  /** The attack: @returns the page under the window that closed, which has just got the focus and the second press of a double click. */
  async function doubleClicked(user: BrowserUser, address: string, name: string) {
    await user.page.goto(elsewhere);
    const { page, focus } = await WindowFocus.open(user.context, user.page, `${elsewhere}/game`);
    await page.evaluate(`window.name = ${JSON.stringify(address)}`);
    const [popup] = await Promise.all([user.context.waitForEvent('page'), page.getByRole('button', { name: 'Play' }).click()]);
    const button = page.getByRole('button', { name, exact: true });
    await button.waitFor();
    await focus.take();
    await stopClock(user);
    const at = await middleOf(button);
    const decisions = decisionsOf(page);
    await popup.mouse.move(...at);
    // Its window is gone before the press of the button is answered.
    await Promise.all([popup.waitForEvent('close'), popup.mouse.down().catch(() => undefined)]);
    await focus.give();
    await page.mouse.click(...at);
    return { page, focus, button, decisions, at };
  }

  it('a double click, whose first press closes the window in front of the page, does not allow a verified client; a press a second later does', async () => {
    const user = await signedUp();
    const { page, decisions, button, at } = await doubleClicked(user, consentOf(`${elsewhere}/client.json`), 'Allow');
    assert.equal(await decisions(), 0);
    assert.deepEqual((await user.call('GET', '/console/keys')).keys, []);
    await user.context.clock.runFor(999);
    await page.mouse.click(...at);
    assert.equal(await decisions(), 0);
    await user.context.clock.runFor(1);
    await user.context.clock.resume();
    await button.click();
    await page.waitForURL(`${elsewhere}/callback?code=*`);
    assert.equal((await user.call('GET', '/console/keys')).keys.length, 1);
  });

  it('the same double click accepts no share', async () => {
    const owner = await visit({}, gateway.address);
    await owner.signUp();
    const { robot } = await owner.call('POST', '/console/robots', { virtual: true, name: 'Lamp' });
    const { token } = await owner.call('POST', `/console/robots/${robot.id}/share-links`, { permission: 'use' });
    const user = await signedUp({ width: 360, height: 740, theme: 'dark' });
    const { page, decisions, button } = await doubleClicked(user, `${gateway.address}/share#share=${token}`, 'Accept');
    assert.equal(await decisions(), 0);
    await user.context.clock.runFor(1000);
    await user.context.clock.resume();
    await button.click();
    await page.getByRole('heading', { name: 'Lamp', level: 1 }).waitFor();
  });

  it('nothing is chosen for a client that anyone could have made, and Allow says what is missing', async () => {
    const user = await signedUp();
    const { page } = user;
    await user.call('POST', '/console/robots', { virtual: true, name: 'Lamp' });
    await page.goto(await unverified(user));
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    assert.deepEqual([await page.getByRole('radio', { checked: true }).count(), await page.getByRole('checkbox', { checked: true }).count()], [0, 0]);
    await until(async () => (await describedBy(allow)) === 'Choose robots and what it can do');
    assert.equal(await allow.isDisabled(), true);
    await page.getByText('Robots, their state and events').click();
    assert.equal(await describedBy(allow), 'Choose robots');
    await page.getByText('Selected robots', { exact: true }).first().click();
    assert.equal(await describedBy(allow), 'Choose robots');
    await page.getByText('Lamp').click();
    await allow.click();
    await page.waitForURL(`${elsewhere}/callback?code=*`);
    const [key] = (await user.call('GET', '/console/keys')).keys;
    assert.deepEqual([key.robots.length, key.scopes], [1, ['read']]);
  });

  it('in a browser of an app, which never says that the page has the focus, a tap on the page starts the time', async () => {
    const user = await signedUp({ width: 360, height: 740, script: 'Document.prototype.hasFocus = () => false' });
    const { page } = user;
    await page.goto(consentOf(`${elsewhere}/client.json`));
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    await stopClock(user);
    const decisions = decisionsOf(page);
    assert.equal(await describedBy(allow), 'Select this page first');
    await allow.click({ force: true });
    assert.equal(await describedBy(allow), 'Ready in a second');
    await user.context.clock.runFor(999);
    await allow.click({ force: true });
    assert.equal(await decisions(), 0);
    await user.context.clock.runFor(1);
    await user.context.clock.resume();
    await allow.click();
    await page.waitForURL(`${elsewhere}/callback?code=*`);
  });

  it('a key held since the page before does not delete a robot; Tab and Enter do, once the dialog was in view for a second', async () => {
    const user = await signedUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Lamp' });
    await user.page.goto(elsewhere);
    const { page, focus } = await WindowFocus.open(user.context, user.page, `${gateway.address}/robots/${robot.id}/settings`);
    const open = page.getByRole('button', { name: 'Remove robot' });
    await open.waitFor();
    await focus.take();
    await click(open);
    const remove = page.getByRole('alertdialog').getByRole('button', { name: 'Remove robot' });
    await remove.waitFor();
    await stopClock(user);
    const decisions = decisionsOf(page);
    await focus.give();
    await remove.focus();
    await page.keyboard.down('Enter');
    await user.context.clock.runFor(5000);
    // Held, it presses again and again.
    for (let i = 0; i < 3; i++) await page.keyboard.down('Enter');
    assert.equal(await remove.isEnabled(), true);
    assert.equal(await decisions(), 0);
    assert.equal(await page.getByText('Remove robot is ready.').count(), 1);
    await page.keyboard.up('Enter');
    await user.context.clock.runFor(10);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    assert.equal(await hasFocus(remove), true);
    await user.context.clock.resume();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/robots');
  });

  it('a screen reader reads the reason with the disabled button, hears nothing when it is ready unless it was pressed too early, and keeps its place', async () => {
    const user = await signedUp({ theme: 'dark' });
    await user.page.goto(elsewhere);
    const { page, focus } = await WindowFocus.open(user.context, user.page, consentOf(`${elsewhere}/client.json`));
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    await focus.take();
    await stopClock(user);
    await allow.focus();
    assert.deepEqual(await heardOf(page, allow), { name: 'Allow', disabled: true, description: 'Select this page first' });
    await focus.give();
    assert.deepEqual(await heardOf(page, allow), { name: 'Allow', disabled: true, description: 'Ready in a second' });
    const announced = await announcements(page);
    await user.context.clock.runFor(1000);
    assert.deepEqual(await heardOf(page, allow), { name: 'Allow', disabled: false, description: '' });
    assert.deepEqual(await announced(), []);

    await focus.take();
    await focus.give();
    const decisions = decisionsOf(page);
    for (let i = 0; i < 3; i++) await click(allow);
    assert.deepEqual(await announced(), ['Allow: Ready in a second.']);
    await user.context.clock.runFor(1000);
    assert.deepEqual(await announced(), ['Allow: Ready in a second.', 'Allow is ready.']);
    assert.equal(await decisions(), 0);
    assert.equal(await hasFocus(allow), true);
    await focus.take();
    await focus.give();
    await user.context.clock.runFor(1000);
    assert.deepEqual(await announced(), ['Allow: Ready in a second.', 'Allow is ready.']);
    await user.context.clock.resume();
    await click(allow);
    await page.waitForURL(`${elsewhere}/callback?code=*`);
  });
});

async function describedBy(button: Locator): Promise<string | null> {
  const id = await button.getAttribute('aria-describedby');
  return id === null ? null : button.page().locator(`[id="${id}"]`).textContent();
}

/** As a screen reader presses: a click alone. */
function click(button: Locator): Promise<void> {
  return button.evaluate((element: { click(): void }) => element.click());
}

function hasFocus(button: Locator): Promise<boolean> {
  return button.evaluate((element: { matches(selector: string): boolean }) => element.matches(':focus'));
}

/** From the browser's accessibility tree. */
async function heardOf(page: Page, button: Locator): Promise<{ name: string; disabled: boolean; description: string }> {
  const session = await page.context().newCDPSession(page);
  try {
    await button.evaluate((element) => void ((globalThis as unknown as { asked: unknown }).asked = element));
    const { result } = await session.send('Runtime.evaluate', { expression: 'asked' });
    const { nodes } = await session.send('Accessibility.getPartialAXTree', { objectId: result.objectId!, fetchRelatives: false });
    const { name, description, properties = [] } = nodes[0]!;
    return {
      name: String(name?.value ?? ''),
      disabled: properties.some((property) => property.name === 'disabled' && property.value.value === true),
      description: String(description?.value ?? ''),
    };
  } finally {
    await session.detach();
  }
}

/** Collects the texts of live regions as they change. */
async function announcements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    globalThis.announced = [];
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest('[role=status], [role=alert], [aria-live]');
        const text = region?.textContent ?? '';
        if (text !== '' && announced.at(-1) !== text) announced.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  }`);
  return () => page.evaluate('announced') as Promise<string[]>;
}
