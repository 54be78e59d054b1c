import assert from 'node:assert/strict';
import type { ServiceProcess } from '@perch/launcher';
import { until } from '@perch/testkit';
import { PageRobot } from '../browser/fixture/page-robot.js';
import { usersOf } from '../browser/fixture/browser-suite.js';
import { useSystem } from '../fixture/system/system-under-test.js';

describe('the virtual robot while robot-links die', () => {
  const system = useSystem({ gateways: 1, links: 2, renderers: 1 });
  const visit = usersOf(() => system.gateway());

  it('a virtual robot reconnects after its robot-link died, to another one or to the restarted one, and after a reload where it moved', async () => {
    const pip = await PageRobot.open(visit);
    const { page, user } = pip;
    await pip.act('face', { emotion: 'happy' });
    await page.getByLabel('Question', { exact: true }).fill('typed before it broke');
    const kill = async (): Promise<ServiceProcess> => {
      const link = await until(
        async () => {
          const { link_url: url } = await user.call('GET', '/console/session');
          return system.cluster.links.find(({ address }) => url.startsWith(address.replace(/(?<=:\d+)\/.*/, '')));
        },
        { what: 'the robot-link that robots dial' },
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
    for (const problem of user.problems.splice(0)) assert.match(problem, /content (security )?policy|WebSocket connection to/i);
    await page.getByRole('button', { name: 'Reload' }).click();
    await pip.online();
    await pip.act('say', { text: 'Here again' });
    await pip.said(/Here again/);
  });
});
