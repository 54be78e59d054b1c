import assert from 'node:assert/strict';
import { cardScene, countdownFrame } from '@perch/screen';
import { countdownCardId, newCountdownSeries } from '@perch/store';
import { until } from '@perch/testkit';
import { formats, restOf, textOf, useCountdownCards } from './countdown-cards.js';
import { useLinks } from './links-under-test.js';

describe('the countdown on a card', () => {
  const system = useLinks();
  const cards = useCountdownCards(system);

  it('shows one second after the other, each no earlier than it is true, and each drawn once', async () => {
    const made = await system.started(await system.instance());
    const { title, end } = await cards.show(made, 300);
    const seen = [restOf(made)];
    await until(
      () => {
        const rest = restOf(made);
        if (rest !== seen.at(-1)) {
          seen.push(rest);
          assert.ok(end - system.store.clock.now() <= rest * 1000, `${rest} s with ${end - system.store.clock.now()} ms left`);
        }
        return seen.length === 5;
      },
      { what: 'five seconds' },
    );
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => b - a),
    );
    const texts = cards.drawn.get(title)!;
    assert.equal(new Set(texts).size, texts.length);
    assert.ok(texts.length <= seen[0]! - seen.at(-1)! + 1 + 6, `${texts.length} drawn for ${seen.join()}`);
    assert.deepEqual(made.robot.violations, []);
  });

  it('stays at 0:00 without a text for the end', async () => {
    const made = await system.started(await system.instance());
    const { title } = await cards.show(made, 1);
    await until(() => textOf(made) === `${title}\n0:00`, { what: '0:00' });
  });

  it('shows the end if it was delivered after it', async () => {
    const made = await system.started(await system.instance());
    const series = newCountdownSeries();
    const scene = cardScene({ title: series, countdown: { rest: 3, done: 'Over' } });
    const picture = await system.picture();
    const countdown = { end: system.store.clock.now() - 5000, scene, formats, bytesMax: 98_304 };
    const args = { layer: 'card', id: countdownCardId(picture.hash, series) };
    await system.gateway.command(made, { name: 'screen.show', args, attachments: [{ path: [], picture }], countdown });
    await until(() => textOf(made) === `${series}\nOver`, { what: 'the text of the end' });
  });

  it('shares the frames of cards that are alike', async () => {
    const link = await system.instance();
    const [one, two] = [await system.started(link), await system.started(link)];
    const { title, end } = await cards.show(one, 300);
    const scene = cardScene({ title, countdown: { rest: 300 } });
    const picture = await system.picture();
    const args = { layer: 'card', id: countdownCardId(picture.hash, newCountdownSeries()) };
    const countdown = { end, scene: countdownFrame(scene, 300), formats, bytesMax: 98_304 };
    await system.gateway.command(two, { name: 'screen.show', args, attachments: [{ path: [], picture }], countdown });
    await until(() => /\d:\d\d$/.test(textOf(two)) && restOf(two) <= 297 && restOf(one) <= 297, { what: 'both at 297 s' });
    const texts = cards.drawn.get(title)!;
    assert.equal(new Set(texts).size, texts.length, texts.join());
  });
});
