/** The web page while its gateway dies and is there again: in a system of its own. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { visitorsOf } from '../browser/fixture/on-browser-stage.js';
import { Stage } from '../fixture/stage.js';

describe('a page whose gateway dies', () => {
  let stage: Stage;
  const visit = visitorsOf(() => stage.gateway());
  before(async function () {
    this.timeout(120_000);
    stage = await Stage.open({ gateways: 1, links: 1, renderers: 1 });
  });
  after(function () {
    this.timeout(60_000);
    return stage?.close();
  });

  it('says that the connection is lost, keeps what was typed, comes back by itself, and goes on', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.signUp();
    const { account } = await visitor.call('GET', '/console/session');
    const { robot: id, token } = await stage.store.robots.create({ account: account.id, name: 'Desk' });
    const robot = new VirtualRobot({ url: stage.link(), token });
    stage.keep(robot);
    await robot.start();
    await page.goto(`/robots/${id}`);
    await page.getByText('say', { exact: true }).click();
    const text = page.getByLabel(/^text/);
    await text.fill('typed before it broke');

    const gateway = stage.cluster.gateways[0]!;
    gateway.signal('SIGKILL');
    await gateway.ended;
    await page.getByText('The connection is lost. What you see may be old').waitFor();
    await page.getByRole('button', { name: 'Run say' }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByRole('alert').waitFor();
    assert.equal(await text.inputValue(), 'typed before it broke');

    await stage.cluster.replace(gateway);
    await page.getByText('The connection is lost. What you see may be old').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run say' }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByText('200 OK').waitFor();
    const now = page.getByRole('region', { name: 'The robot now' });
    await until(async () => (await now.innerHTML()).includes('typed before it broke'), { what: 'the twin to say it', timeoutMs: 20_000 });
  });
});
