import assert from 'node:assert/strict';
import { choose } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the requests of the playground', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

  it('an error at a field is told there, and not again beside the response', async () => {
    const { page } = await opened();
    await choose(page, 'ask');
    await page.getByRole('textbox', { name: 'timeout_s' }).fill('300');
    await page.getByRole('button', { name: 'Run ask' }).click();
    await page.locator('.field-error').waitFor();
    const answer = page.getByRole('region', { name: 'Response', exact: true });
    await answer.getByText('400 bad_argument').waitFor();
    assert.equal(
      await page
        .getByText(/at most 120/i)
        .filter({ visible: true })
        .count(),
      2,
      'the help of the field and its error',
    );
    await answer.getByText('Response body', { exact: true }).click();
    await answer.getByText(/"code": "bad_argument"/).waitFor();
  });

  it('a form with an error shows no request that would not be sent', async () => {
    const { page } = await opened();
    await choose(page, 'scene');
    const request = page.getByRole('region', { name: 'Request', exact: true });
    await request.getByText('curl').first().waitFor();
    await page.getByRole('textbox', { name: 'actions' }).fill('[{ "action": ');
    await request.getByText('The request appears here once actions is valid.').waitFor();
    assert.equal(await request.getByRole('region').count(), 0);
    await page.getByRole('textbox', { name: 'actions' }).fill('[{ "action": "stop" }]');
    await request.getByRole('region', { name: /scene as curl/ }).waitFor();
  });

  it('the address keeps the chosen action and language over a reload and in a copied link', async () => {
    const { page, id } = await opened();
    await choose(page, 'leds');
    await page.getByRole('region', { name: 'Request', exact: true }).getByText('Python', { exact: true }).click();
    await page.waitForURL(`**/robots/${id}?action=leds&as=python`);
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByRole('region', { name: 'leds as Python' }).waitFor();
    await page.goto(`/robots/${id}?action=nothing&as=nothing`);
    await page.getByRole('button', { name: /^Run / }).waitFor();
  });
});
