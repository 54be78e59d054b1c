/** Which arguments the forms of the playground show, and how values are chosen. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { halves } from '../fixture/media/pictures.js';
import { choose, focused, openMore, press } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the fields of the playground', ({ system, visit }) => {
  it('a form shows required and usual arguments, and the others by what they are about once it is asked for more', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=show');
    await page.getByRole('button', { name: 'Run show', exact: true }).waitFor();
    assert.deepEqual(await shownArguments(page), ['text', 'title', 'icon', 'image']);
    await openMore(page);
    const groups = await page
      .getByRole('group')
      .filter({ has: page.locator('legend') })
      .locator('legend')
      .allInnerTexts();
    assert.deepEqual(groups, ['Card', 'Text', 'Queue', 'Take away']);
    assert.deepEqual((await shownArguments(page)).slice(4, 6), ['note', 'color']);
    await page.getByRole('textbox', { name: 'note' }).fill('Sunny');
    await page.locator('.more-fields > summary').click();
    await page.getByText('set: note').waitFor();
    await choose(page, 'ask');
    assert.deepEqual(await shownArguments(page), ['question', 'answers', 'timeout_s', 'icons']);
    // What is set is not hidden from who comes back to it.
    await choose(page, 'show');
    assert.equal(await page.getByRole('textbox', { name: 'note' }).inputValue(), 'Sunny');
  });

  it('an error at an argument that is not shown shows it, with the focus', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=show');
    await openMore(page);
    await page.getByRole('textbox', { name: 'priority' }).fill('3');
    await page.locator('.more-fields > summary').click();
    await page.getByRole('textbox', { name: 'priority' }).waitFor({ state: 'detached' });
    await press(page, 'Run show');
    await page.locator('.field-error').getByText('belongs to queue: true', { exact: false }).waitFor();
    await until(async () => ((await focused(page)) === 'argument-priority' ? true : null), { what: 'the focus at the priority' });
  });

  it('icons are chosen from their drawings, found by a word for what they show', async () => {
    const { user, page } = await openDeskRobot({ system, visit }, {}, '?action=show');
    await page.getByRole('button', { name: 'Choose icon' }).click();
    const icons = page.getByRole('listbox', { name: 'Icons' });
    await icons.getByRole('option', { name: 'bell', exact: true }).locator('svg path').waitFor();
    await page.getByRole('searchbox', { name: 'Search icons' }).fill('beverage');
    const coffee = icons.getByRole('option', { name: 'coffee' });
    assert.ok((await coffee.locator('path').getAttribute('d'))!.length > 20);
    assert.deepEqual(await user.axe(), []);
    await page.keyboard.press('ArrowDown');
    await coffee.click();
    await icons.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'icon', exact: true }).inputValue(), 'coffee');
  });

  it('languages are chosen by their names, and the field takes any other', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=speak');
    await page.getByRole('button', { name: 'Choose lang' }).click();
    await page.getByRole('searchbox', { name: 'Search languages' }).fill('deutsch');
    await page.getByRole('option', { name: /^German · Deutsch · de$/ }).click();
    const lang = page.getByRole('textbox', { name: 'lang', exact: true });
    assert.equal(await lang.inputValue(), 'de');
    await lang.fill('gsw');
    assert.equal(await lang.inputValue(), 'gsw');
  });

  it('a chime can be heard in the browser before the robot plays it', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=sound');
    await page.evaluate(`(() => {
      const { start } = AudioBufferSourceNode.prototype;
      AudioBufferSourceNode.prototype.start = function () {
        const samples = this.buffer.getChannelData(0);
        window.heard = { seconds: this.buffer.duration, loudest: samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0) };
        start.call(this);
      };
    })()`);
    await press(page, 'yawn');
    await press(page, 'Hear yawn here');
    const heard = await until(async () => ((await page.evaluate('window.heard')) as { seconds: number; loudest: number } | undefined) ?? null, {
      what: 'the chime',
    });
    assert.ok(heard.seconds > 0.2 && heard.loudest > 0.05, JSON.stringify(heard));
  });

  it('a picture is pasted or dropped anywhere in the form, and one that cannot be decoded is not sent', async () => {
    const { page, robot } = await openDeskRobot({ system, visit }, {}, '?action=show');
    await page.getByRole('button', { name: 'Run show', exact: true }).waitFor();
    const give = (event: string, target: string, base64: string, name: string): Promise<unknown> =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob('${base64}'), (each) => each.charCodeAt(0))], '${name}', { type: 'image/png' }));
        const init = { bubbles: true, cancelable: true };
        const event = '${event}' === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent('${event}', { ...init, dataTransfer: data });
        document.querySelector('${target}').dispatchEvent(event);
      })()`);
    await give('paste', '#argument-title', halves(64, 48, '#ff0000', '#0000ff'), 'pasted.png');
    await page.getByText('pasted.png: 1 KB').waitFor();
    await give('drop', '.action-form', halves(64, 48, '#00ff00', '#0000ff'), 'dropped.png');
    await page.getByText('dropped.png: 1 KB').waitFor();
    await give('drop', '.action-form', Buffer.from('no picture').toString('base64'), 'torn.png');
    await page.getByRole('alert').getByText('torn.png cannot be read as a picture.').waitFor();
    await press(page, 'Run show');
    await robot.until(({ screen }) => screen.card !== null, { what: 'the picture' });
  });
});

/** Returns the names of the arguments that the form shows, in their order. */
async function shownArguments(page: Page): Promise<string[]> {
  return page.locator('.action-form .argument-name > code, .action-form .flag-control > code').allInnerTexts();
}
