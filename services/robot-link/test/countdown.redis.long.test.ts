import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { fallsTo, restOf, textOf, useCountdownCards } from './countdown-cards.js';
import { useLinks, type TestRobot } from './links-under-test.js';

describe('the countdown on a card that is covered, replaced or moved', () => {
  const system = useLinks();
  const cards = useCountdownCards(system);

  it('shows its text at the end, and draws nothing more', async () => {
    const link = await system.instance();
    const [ends, other] = [await system.started(link), await system.started(link)];
    const { title } = await cards.show(ends, 2, 'Tea is ready');
    await until(() => textOf(ends) === `${title}\nTea is ready`, { what: 'the text of the end' });
    assert.match(ends.robot.screen.card!.id, /^card-/);
    const count = cards.drawn.get(title)!.length;
    await cards.show(other, 300);
    await fallsTo(other, 297);
    assert.equal(cards.drawn.get(title)!.length, count);
    assert.equal(textOf(ends), `${title}\nTea is ready`);
  });

  it('a countdown is no longer drawn or shown after a newer card, a clear or the picture of a clickmap', async () => {
    const link = await system.instance();
    const robots = [await system.started(link), await system.started(link), await system.started(link)];
    const shown = await Promise.all(robots.map((made) => cards.show(made, 300)));
    await Promise.all(robots.map((made) => fallsTo(made, 299)));
    const [replaced, cleared, mapped] = robots as [TestRobot, TestRobot, TestRobot];
    const attachments = [{ path: [], picture: await system.picture() }];
    await system.gateway.command(replaced, { name: 'screen.show', args: { layer: 'card', id: 'newer' }, attachments });
    await system.gateway.command(cleared, { name: 'screen.clear', args: { layer: 'card' } });
    const targets = [{ shape: 'rect', x: 0, y: 0, w: 10, h: 10 } as const];
    const { number } = await system.gateway.wait(mapped, { kind: 'clickmap', targets, picture: await system.picture() });
    await until(() => mapped.robot.screen.card?.id === `w${number}`, { what: 'the picture of the clickmap' });
    // A frame that a renderer had begun may still be finished.
    const other = await system.started(link);
    await cards.show(other, 300);
    await fallsTo(other, 299);
    const counts = shown.map(({ title }) => cards.drawn.get(title)!.length);
    await fallsTo(other, 296);
    assert.deepEqual(
      shown.map(({ title }) => cards.drawn.get(title)!.length),
      counts,
    );
    assert.deepEqual(
      robots.map(({ robot }) => robot.screen.card?.id ?? null),
      ['newer', null, `w${number}`],
    );
  });

  it('a countdown is not drawn while a question covers it, and continues with the current second afterwards', async () => {
    const link = await system.instance();
    const [made, other] = [await system.started(link), await system.started(link)];
    const { title, end } = await cards.show(made, 300);
    await fallsTo(made, 299);
    const targets = [{ shape: 'rect', x: 0, y: 0, w: 10, h: 10 } as const];
    const { number } = await system.gateway.wait(made, { kind: 'ask', targets, picture: await system.picture() });
    await until(() => made.robot.screen.question?.id === `w${number}`, { what: 'the question' });
    await cards.show(other, 300);
    await fallsTo(other, 299);
    const [count, shown] = [cards.drawn.get(title)!.length, textOf(made)];
    await fallsTo(other, 295);
    assert.equal(cards.drawn.get(title)!.length, count);
    assert.equal(textOf(made), shown);
    await made.robot.tap(5, 5);
    const left = Math.ceil((end - system.store.clock.now()) / 1000);
    await fallsTo(made, left);
  });

  it('goes on with the robot-link that takes the robot over, and after the robot was away', async () => {
    const before = await system.instance();
    const made = await system.started(before);
    const { title } = await cards.show(made, 300, 'Done');
    await fallsTo(made, 298);
    const after = await system.instance();
    made.robot.dialAt(after.app.address);
    await before.stop();
    await made.robot.until(({ online }) => online);
    const taken = restOf(made);
    await fallsTo(made, taken - 3);
    assert.ok(textOf(made).startsWith(title));
  });

  it('skips the seconds that cannot be drawn, and shows the present one when drawing works again', async () => {
    const made = await system.started(await system.instance());
    cards.only = '5:00';
    const { end } = await cards.show(made, 300);
    try {
      await until(() => (end - system.store.clock.now()) / 1000 < restOf(made) - 2, { what: 'seconds to be missed' });
      assert.equal(restOf(made), 300);
    } finally {
      cards.only = null;
    }
    const left = Math.ceil((end - system.store.clock.now()) / 1000);
    await fallsTo(made, left);
  });
});
