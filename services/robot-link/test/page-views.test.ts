import assert from 'node:assert/strict';
import type { CardPage, PictureRef } from '@perch/schema';
import { greyPageId, readPageId } from '@perch/store';
import fc from 'fast-check';
import { PageViews } from '../src/input/consent.js';

const picture: PictureRef = { kind: 'picture', account: 'a', hash: 'h', format: 'png', bytes: 1, crc32: 1, w: 320, h: 240 };

function recordOf(count: number, grey = count): { greyPages: CardPage[]; pages: CardPage[] } {
  const pageOf = (id: string): CardPage => ({ id, picture, afterMs: 3_000 });
  return {
    greyPages: Array.from({ length: grey }, (_, i) => pageOf(greyPageId(7, i + 1))),
    pages: Array.from({ length: count }, (_, i) => pageOf(readPageId(7, ((i + 1) % count) + 1))),
  };
}

describe('PageViews', () => {
  it('has seen all pages when each was on the screen for a second, and the last one then has answers that count', () => {
    const pages = new PageViews(recordOf(3));
    assert.equal(pages.allSeenBy(60_000), false);
    for (const [id, ms] of [
      ['w7g1', 1_000],
      ['w7g2', 4_000],
      ['w7g3', 7_000],
    ] as const) {
      pages.shown(id, ms);
      assert.equal(pages.allSeenBy(ms + 2_000), false, id);
    }
    pages.shown('w7r3', 8_010);
    assert.deepEqual([pages.allSeenBy(8_010), pages.allSeenBy(8_011)], [false, true]);
    pages.shown('w7r1', 10_000);
    assert.equal(pages.allSeenBy(8_010), false, 'a touch that began before and is told later');
    assert.equal(pages.allSeenBy(10_001), true);
  });

  it('has seen a single page a second after it came with grey answers, once they are drawn as ones that count', () => {
    const pages = new PageViews(recordOf(1));
    pages.shown('w7g1', 0);
    assert.equal(pages.allSeenBy(60_000), false, 'the second picture is late');
    pages.shown('w7r1', 60_001);
    assert.deepEqual([pages.allSeenBy(60_001), pages.allSeenBy(60_002)], [false, true]);
    const early = new PageViews(recordOf(1));
    early.shown('w7g1', 0);
    early.shown('w7r1', 500);
    assert.deepEqual([early.allSeenBy(999), early.allSeenBy(1_000)], [false, true]);
  });

  it('has seen only the first page of a question of which any page counts', () => {
    const pages = new PageViews(recordOf(3, 1));
    pages.shown('w7g1', 0);
    pages.shown('w7r1', 1_000);
    assert.deepEqual([pages.allSeenBy(1_000), pages.allSeenBy(1_001)], [false, true]);
    pages.shown('w7r2', 4_000);
    assert.equal(pages.allSeenBy(4_001), true);
  });

  it('has not seen a page that was on the screen for less than a second, until it shows again', () => {
    const pages = new PageViews(recordOf(2));
    pages.shown('w7g1', 0);
    pages.shown('w7g2', 999);
    pages.shown('w7r2', 3_000);
    assert.equal(pages.allSeenBy(60_000), false);
    pages.shown('w7r1', 5_000);
    assert.equal(pages.allSeenBy(5_999), false);
    assert.equal(pages.allSeenBy(6_000), true);
  });

  it('has seen, when a robot is taken over, the pages before the grey one that shows, and that one a second after it is shown again', () => {
    const middle = new PageViews(recordOf(3), 'w7g2');
    middle.shown('w7g2', 0);
    middle.shown('w7g3', 1_000);
    middle.shown('w7r3', 2_000);
    assert.deepEqual([middle.allSeenBy(2_000), middle.allSeenBy(2_001)], [false, true]);
    assert.equal(new PageViews(recordOf(3), 'w6').allSeenBy(60_000), false);
  });

  it('has seen all, when a robot is taken over that shows answers that count, once it is shown again', () => {
    for (const id of ['w7r1', 'w7r2', 'w7r3']) {
      const later = new PageViews(recordOf(3), id);
      assert.equal(later.allSeenBy(60_000), false);
      later.shown(id, 60_000);
      assert.deepEqual([later.allSeenBy(60_000), later.allSeenBy(60_001)], [false, true]);
    }
  });

  it('knows whether the page that shows was there for a second before a touch, which then turns it', () => {
    const pages = new PageViews(recordOf(2));
    assert.equal(pages.shownSeenBy(60_000), false);
    pages.shown('w7g1', 100);
    assert.deepEqual([pages.shownSeenBy(1_099), pages.shownSeenBy(1_100)], [false, true]);
  });

  it('has seen all exactly if each page was on the lit screen for a second before the touch began, and answers that count showed by then, in any course of pages and light', () => {
    const course = fc.record({
      count: fc.integer({ min: 1, max: 4 }),
      greyed: fc.integer({ min: 1, max: 4 }),
      turns: fc.array(fc.record({ page: fc.nat(3), grey: fc.boolean(), lit: fc.boolean(), forMs: fc.integer({ min: 0, max: 2_500 }) }), {
        maxLength: 12,
      }),
      backMs: fc.integer({ min: 0, max: 2_000 }),
      restMs: fc.integer({ min: 0, max: 2_500 }),
    });
    let answered = 0;
    fc.assert(
      fc.property(course, ({ count, greyed, turns, backMs, restMs }) => {
        const greyCount = Math.min(greyed, count);
        const pages = new PageViews(recordOf(count, greyCount));
        const shown: { page: number; from: number; to: number }[] = [];
        let now = 0;
        let litMs = 0;
        let liveFrom = Infinity;
        for (const { page: number, grey, lit, forMs } of turns) {
          const page = number % count;
          const isGrey = grey && page < greyCount;
          pages.shown(isGrey ? greyPageId(7, page + 1) : readPageId(7, page + 1), now);
          liveFrom = isGrey ? Infinity : Math.min(liveFrom, now);
          if (shown.at(-1)?.page === page) shown.at(-1)!.to = now + forMs;
          else shown.push({ page, from: now, to: now + forMs });
          now += forMs;
          if (lit) pages.lit((litMs = now));
        }
        now += restMs;
        if (shown.length > 0) shown.at(-1)!.to = now;
        const downMs = now - backMs;
        const isSeen = (page: number): boolean =>
          shown.some((each) => each.page === page && Math.min(each.to, downMs) - Math.max(each.from, litMs) >= 1_000);
        const isAnswered = downMs > liveFrom && Array.from({ length: greyCount }, (_, page) => page).every(isSeen);
        assert.equal(pages.allSeenBy(downMs), isAnswered);
        if (isAnswered) answered += 1;
      }),
      { numRuns: 2_000 },
    );
    assert.ok(answered > 50, `${answered} of 2,000 answered`);
  });
});
