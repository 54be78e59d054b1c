import assert from 'node:assert/strict';
import type { ServiceProcess } from '@perch/launcher';
import { until } from '@perch/testkit';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

/** The receiver runs on this machine, and private addresses are not allowed by default. */
const mayBePrivate = { PERCH_WEBHOOK_ALLOW_PRIVATE: 'true' };

onBrowserSystem('webhooks on the web page', ({ system, visit }) => {
  let receiver: WebhookReceiver;
  let gateway: ServiceProcess;
  let sender: ServiceProcess;

  before(async () => {
    const { cluster } = system();
    [receiver, gateway, sender] = await Promise.all([
      WebhookReceiver.open(),
      cluster.add('gateway', { ...mayBePrivate, PERCH_TRUST_PROXY: '1' }),
      cluster.add('webhooks', mayBePrivate),
    ]);
  });
  after(async () => {
    await Promise.all([gateway?.stop(5000), sender?.stop(5000), receiver?.close()]);
  });

  it('a webhook is created with its secret shown once, its test arrives signed, is logged and sent again, and deleting removes it', async () => {
    const user = await visit({}, gateway.address);
    const { page } = user;
    await user.signUp();
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    await typeIn(page.getByLabel('URL'), receiver.url('/hook'));
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    const secret = await page.getByRole('textbox', { name: 'Secret' }).innerText();
    assert.match(secret, /^whsec_/);
    receiver.secrets.set('/hook', secret);
    assert.deepEqual(await user.axe(), []);
    await page.getByRole('button', { name: 'I have copied it' }).click();

    await page.getByRole('button', { name: 'Send a test' }).click();
    const [first] = await receiver.count('/hook', 1);
    const log = page.getByRole('list', { name: 'Deliveries' });
    await log.getByRole('button', { name: /^Send again/ }).click();
    const [, second] = await receiver.count('/hook', 2);
    assert.equal(second!.id, first!.id, 'the same message, sent once more');
    assert.equal(receiver.forged, 0);
    assert.ok(!(await page.locator('body').innerText()).includes(secret));

    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit webhook' });
    assert.equal(await edit.getByLabel('URL').inputValue(), receiver.url('/hook'));
    await edit.getByText('Selected events').click();
    await edit.getByText('Tap', { exact: true }).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tap from all robots').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('This webhook is paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('This webhook is paused').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog', { name: 'New secret' }).getByRole('button', { name: 'Create secret' }).click();
    const newSecret = await page.getByRole('textbox', { name: 'Secret' }).innerText();
    assert.notEqual(newSecret, secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Messages are signed with the old secret as well').waitFor();
    assert.deepEqual(await user.axe(), []);
    for (const [i, valid] of [secret, newSecret].entries()) {
      receiver.secrets.set('/hook', valid);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await receiver.count('/hook', 3 + i);
    }
    assert.equal(receiver.forged, 0);

    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await until(async () => (await user.call('GET', '/console/v1/webhooks')).webhooks.length === 0);
  });
});
