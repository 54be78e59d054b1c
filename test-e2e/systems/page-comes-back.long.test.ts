import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { usersOf } from '../browser/fixture/browser-suite.js';
import { useSystem } from '../fixture/system/system-under-test.js';

describe('the web page while its gateway dies', () => {
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 });
  const visit = usersOf(() => system.gateway());

  it('a page whose gateway dies says that the connection is lost, keeps what was typed, reconnects by itself, and continues', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { account } = await user.call('GET', '/console/session');
    const { robot: id, token } = await system.store.robots.create({ account: account.id, name: 'Desk' });
    const robot = new VirtualRobot({ url: system.link(), token });
    system.keep(robot);
    await robot.start();
    await page.goto(`/robots/${id}`);
    await page.getByText('say', { exact: true }).click();
    const text = page.getByLabel(/^text/);
    await text.fill('typed before it broke');

    const gateway = system.cluster.gateways[0]!;
    gateway.signal('SIGKILL');
    await gateway.ended;
    await page.getByText('The connection is lost. This page may be out of date').waitFor();
    await page.getByRole('button', { name: 'Run say' }).click();
    await page.getByRole('region', { name: 'Response', exact: true }).getByRole('alert').waitFor();
    assert.equal(await text.inputValue(), 'typed before it broke');

    await system.cluster.replace(gateway);
    await page.getByText('The connection is lost. This page may be out of date').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run say' }).click();
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('200 OK').waitFor();
    const now = page.getByRole('region', { name: 'The robot now' });
    await until(async () => (await now.innerHTML()).includes('typed before it broke'), { what: 'the page to show the bubble' });
  });
});
