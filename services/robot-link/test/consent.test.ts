import assert from 'node:assert/strict';
import type { CardPage, PictureRef, WaitConsent } from '@perch/schema';
import fc from 'fast-check';
import { Consent, type Verdict, PageViews } from '../src/input/consent.js';

const shownMs = 10_000;
const press: { heldMs: number; outside?: true } = { heldMs: 90 };

function consent({ countsAfterMs = 350, heldMinMs = 40, ...rest }: WaitConsent & { countsAfterMs?: number; heldMinMs?: number } = {}): Consent {
  return new Consent({ record: { consent: rest }, armed: { ms: shownMs, countsAfterMs }, since: shownMs, heldMinMs });
}

describe('Consent', () => {
  it('counts a touch that began 350 ms or more after the picture came on the screen, and calls one before early', () => {
    const judged = (afterMs: number): Verdict => consent().judge({ ...press, downMs: shownMs + afterMs }, 0);
    for (const afterMs of [-500, 0, 20, 50, 100, 200, 349]) assert.equal(judged(afterMs), 'early', `${afterMs} ms`);
    for (const afterMs of [350, 351, 60_000]) assert.equal(judged(afterMs), 'counts', `${afterMs} ms`);
  });

  it('counts a touch from 1 s on for an approval, and after a question that may be the one that the person meant', () => {
    for (const one of [consent({ approval: true }), consent({ countsAfterMs: 1000 }), consent({ approval: true, countsAfterMs: 1000 })]) {
      assert.equal(one.judge({ ...press, downMs: shownMs + 999 }, 0), 'early');
      assert.equal(one.judge({ ...press, downMs: shownMs + 1000 }, 0), 'counts');
    }
  });

  it('counts a touch on the answer that denies from 350 ms on, whatever the others wait for', () => {
    const one = consent({ approval: true, deny: 1, countsAfterMs: 1000 });
    assert.equal(one.judge({ ...press, downMs: shownMs + 349 }, 1), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 350 }, 1), 'counts');
    assert.equal(one.judge({ ...press, downMs: shownMs + 350 }, 0), 'early');
    assert.equal(one.judge({ ...press, heldMs: 0, downMs: shownMs + 5000 }, 1), 'no_touch');
  });

  it('counts a touch on a question with pages only when all were seen, but on the answer that denies', () => {
    const page = (id: string): CardPage => ({ id, afterMs: 3_000, picture: { kind: 'picture' } as PictureRef });
    const pages = new PageViews({ greyPages: [page('w7g1'), page('w7g2')], pages: [page('w7r2'), page('w7r1')] });
    const one = new Consent({ record: { consent: { approval: true, deny: 1 } }, armed: { ms: shownMs }, since: shownMs, heldMinMs: 40, pages });
    pages.shown('w7g1', shownMs);
    assert.equal(one.judge({ ...press, downMs: shownMs + 60_000 }, 0), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 350 }, 1), 'counts');
    assert.deepEqual([one.turnsPage({ ...press, downMs: shownMs + 999 }), one.turnsPage({ ...press, downMs: shownMs + 1_000 })], [false, true]);
    assert.equal(one.turnsPage({ ...press, heldMs: 0, downMs: shownMs + 1_000 }), false);
    pages.shown('w7g2', shownMs + 3_000);
    pages.shown('w7r2', shownMs + 4_010);
    assert.equal(one.judge({ ...press, downMs: shownMs + 4_010 }, 0), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 4_011 }, 0), 'counts');
  });

  it('takes a touch of less than 40 ms or more than 8 s, or one that begins outside the screen, for no touch of a finger', () => {
    const judged = (touch: Partial<typeof press>): Verdict => consent().judge({ ...press, ...touch, downMs: shownMs + 5000 }, 0);
    for (const heldMs of [0, 10, 39, 8001, 600_000]) assert.equal(judged({ heldMs }), 'no_touch', `${heldMs} ms`);
    for (const heldMs of [40, 90, 8000]) assert.equal(judged({ heldMs }), 'counts', `${heldMs} ms`);
    assert.equal(judged({ outside: true }), 'no_touch');
  });

  it('does not count the ghost touch of a CoreS3 SE on the left answer', () => {
    assert.equal(consent().judge({ heldMs: 0, downMs: shownMs + 3000 }, 0), 'no_touch');
  });

  it("counts a short press of the web page's robot of 0.10.x, which has no panel", () => {
    assert.equal(consent({ heldMinMs: 0 }).judge({ ...press, heldMs: 0, downMs: shownMs + 350 }, 0), 'counts');
  });

  it('counts nothing before it is known since when the picture shows, and then from that time on', () => {
    const one = new Consent({ record: {}, armed: { ms: null }, since: null, heldMinMs: 40 });
    assert.equal(one.judge({ ...press, downMs: shownMs + 60_000 }, 0), 'early');
    one.shown(shownMs);
    assert.equal(one.judge({ ...press, downMs: shownMs + 349 }, 0), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 350 }, 0), 'counts');
  });

  it('counts no touch from before a clickmap was armed, however long the picture under it has shown', () => {
    const one = new Consent({ record: {}, armed: { ms: shownMs }, since: shownMs - 60_000, heldMinMs: 40 });
    assert.equal(one.judge({ ...press, downMs: shownMs }, 0), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 1 }, 0), 'counts');
  });

  it('counts nothing on a dark screen, and only what began 350 ms or more after it was lit', () => {
    const one = new Consent({ record: {}, armed: { ms: shownMs }, since: shownMs, heldMinMs: 40 });
    one.dark();
    assert.equal(one.judge({ ...press, downMs: shownMs + 60_000 }, 0), 'early');
    one.lit(shownMs + 70_000);
    assert.equal(one.judge({ ...press, downMs: shownMs + 70_349 }, 0), 'early');
    assert.equal(one.judge({ ...press, downMs: shownMs + 70_350 }, 0), 'counts');
  });

  it('counts exactly the touches of a finger that began after the picture had shown unchanged for its time, in any course of changes', () => {
    const course = fc.record({
      approval: fc.boolean(),
      deny: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      countsAfterMs: fc.constantFrom(undefined, 350, 1000),
      changes: fc.array(fc.record({ ms: fc.integer({ min: 0, max: 5000 }), by: fc.constantFrom('shown', 'dark', 'lit') }), { maxLength: 5 }),
      touch: fc.record({
        heldMs: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 7900, max: 8100 })),
        downMs: fc.integer({ min: -500, max: 8000 }),
      }),
      isOutside: fc.boolean(),
      index: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(course, ({ approval, deny, countsAfterMs, changes, touch, isOutside, index }) => {
        const one = new Consent({
          record: { consent: { ...(approval && { approval }), ...(deny !== undefined && { deny }) } },
          armed: { ms: 0, ...(countsAfterMs !== undefined && { countsAfterMs }) },
          since: 0,
          heldMinMs: 40,
        });
        let isDark = false;
        for (const { ms, by } of changes) {
          isDark = by === 'dark' || (isDark && by !== 'lit');
          one[by as 'shown'](ms);
        }
        const starts = [0, ...changes.flatMap(({ ms, by }) => (by === 'dark' ? [] : [ms]))];
        const neededMs = index === deny ? 350 : approval ? 1000 : (countsAfterMs ?? 350);
        const isFinger = touch.heldMs >= 40 && touch.heldMs <= 8000 && !isOutside;
        const verdict = one.judge({ ...touch, ...(isOutside && { outside: true as const }) }, index);
        assert.equal(verdict === 'no_touch', !isFinger);
        assert.equal(verdict === 'counts', isFinger && !isDark && starts.every((ms) => touch.downMs - ms >= neededMs));
      }),
      { numRuns: 2000 },
    );
  });
});
