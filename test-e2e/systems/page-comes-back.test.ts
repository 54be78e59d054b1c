/** The web page while its gateway or its robot-link dies and restarts, in its own system. */
import assert from 'node:assert/strict';
import type { ServiceProcess } from '@perch/launcher';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { PageRobot } from '../browser/fixture/page-robot.js';
import { visitorsOf } from '../browser/fixture/browser-suite.js';
import { TestSystem } from '../fixture/system/test-system.js';

describe('the web page while services die', () => {
  let system: TestSystem;
  const visit = visitorsOf(() => system.gateway());
  before(async function () {
    this.timeout(120_000);
    system = await TestSystem.open({ gateways: 1, links: 2, renderers: 1 });
  });
  after(function () {
    this.timeout(60_000);
    return system?.close();
  });

  it('a page whose gateway dies says that the connection is lost, keeps what was typed, reconnects by itself, and continues', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.signUp();
    const { account } = await visitor.call('GET', '/console/session');
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
    await page.getByRole('region', { name: 'Answer', exact: true }).getByRole('alert').waitFor();
    assert.equal(await text.inputValue(), 'typed before it broke');

    await system.cluster.replace(gateway);
    await page.getByText('The connection is lost. This page may be out of date').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run say' }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).getByText('200 OK').waitFor();
    const now = page.getByRole('region', { name: 'The robot now' });
    await until(async () => (await now.innerHTML()).includes('typed before it broke'), { what: 'the twin to say it', timeoutMs: 20_000 });
  });

  it('a virtual robot reconnects after its robot-link died, to another one or to the restarted one, and after a reload where it moved', async () => {
    const pip = await PageRobot.open(visit);
    const { page, visitor } = pip;
    await pip.act('face', { emotion: 'happy' });
    await page.getByLabel('Question', { exact: true }).fill('typed before it broke');
    const kill = async (): Promise<ServiceProcess> => {
      const link = await until(
        async () => {
          const { link_url: url } = await visitor.call('GET', '/console/session');
          return system.cluster.links.find(({ address }) => url.startsWith(address.replace(/(?<=:\d+)\/.*/, '')));
        },
        { what: 'the robot-link that robots dial', timeoutMs: 20_000 },
      );
      link.signal('SIGKILL');
      await link.ended;
      await page.getByText('Connecting', { exact: true }).waitFor();
      return link;
    };

    await kill();
    await pip.online();
    await pip.said(/happy face/);
    assert.equal(await page.getByLabel('Question', { exact: true }).inputValue(), 'typed before it broke');

    // A page that was just cut off waits longer after each attempt; a new one starts over.
    const anew = async (): Promise<void> => {
      await page.reload();
      await pip.online();
    };
    await anew();
    const link = await kill();
    await page.getByText('The robot cannot connect; it keeps trying.').waitFor();
    await system.cluster.replace(link);
    await pip.online();

    await anew();
    await kill();
    await system.cluster.add('robot-link');
    await page.getByText('Page out of date').waitFor();
    // The browser logs failed dials, and the one that the content security policy blocked.
    for (const problem of visitor.problems.splice(0)) assert.match(problem, /content (security )?policy|WebSocket connection to/i);
    await page.getByRole('button', { name: 'Reload' }).click();
    await pip.online();
    await pip.act('say', { text: 'Here again' });
    await pip.said(/Here again/);
  });
});
