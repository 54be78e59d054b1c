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

    receiver.answers.set('/hook', [{ status: 500 }]);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await log.getByText(/^1 attempt\. The receiver answered 500\.$/).waitFor();
    await log
      .getByText(/^1 attempt\. The receiver answered 204\.$/)
      .first()
      .waitFor();
    // A test is not repeated: what a message that is says.
    await page.route('**/deliveries*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const repeated = { status: 'pending', attempts: 2, last_status: 500, last_error: 'The receiver answered 500.' };
      Object.assign(answer.deliveries[0], repeated, { next_at: new Date().toISOString() });
      Object.assign(answer.deliveries[1], repeated, { next_at: new Date(Date.now() + 3_600_000).toISOString() });
      await route.fulfill({ response, json: answer });
    });
    await log.getByText('2 attempts. The receiver answered 500. It is sent again now.', { exact: true }).waitFor();
    await log.getByText('2 attempts. The receiver answered 500. It is sent again in 1 hour.', { exact: true }).waitFor();
    await page.unroute('**/deliveries*');

    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await until(async () => (await user.call('GET', '/console/v1/webhooks')).webhooks.length === 0);
  });
});
