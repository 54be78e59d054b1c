import assert from 'node:assert/strict';
import { updateFile } from '@perch/installer/node';
import { VirtualRobot } from '@perch/virtual-robot';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('the update of a robot on the web page', ({ system, visit }) => {
  const { version } = updateFile();

  it('the page of a robot offers the version of the service, says why an update failed, and shows that it was installed', async () => {
    const user = await visit({ width: 360 });
    const { page } = user;
    await user.signUp();
    const { robot, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    const pip = new VirtualRobot({ url: system().link(), token, firmware: 'micropython-1.27.0 perch-0.0' });
    system().keep(pip);
    await pip.start();
    pip.faults.failUpdate('download', 'no room for the file');
    await page.goto(`/robots/${robot.id}`);
    await page.getByText(`Version ${version} of the robot program is available; the robot runs 0.0.`).waitFor();
    assert.deepEqual(await user.axe(), []);
    const start = page.getByRole('button', { name: `Update to ${version}` });
    await start.click();
    await page.getByText(`The update to ${version} failed: no room for the file. Version 0.0 runs as before.`).waitFor();
    pip.faults.none();
    await start.click();
    await page.getByText(`Robot program ${version}, the version of this service.`).waitFor();
    assert.equal(pip.updates.firmware, `micropython-1.27.0 perch-${version}`);
    assert.deepEqual(await user.axe(), []);
    await page.goto('/activity');
    await page.getByText('Robot update installed').locator('visible=true').first().waitFor();
  });

  it('the page of a robot with another program says nothing of updates', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pop' });
    const pop = new VirtualRobot({ url: system().link(), token });
    system().keep(pop);
    await pop.start();
    await page.goto(`/robots/${robot.id}`);
    await page.getByText('Online').first().waitFor();
    assert.equal(await page.getByText('robot program', { exact: false }).count(), 0);
  });
});
