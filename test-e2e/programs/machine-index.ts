/** How fast the browser runs on this machine, and how much a browser must therefore be slowed down. */
import type { Page } from 'playwright-core';

/** Slow-down of the processor on a machine of the reference index, and on faster ones: the goals were set for it. */
export const referenceRate = 4;

/** Index on which the rate is `referenceRate`: the median of the loads of four runs on 27 November 2026, on the two cores that docs/performance.md names. */
export const referenceIndex = 850;

/** Time of each of the two halves, ms. */
const halfMs = 250;

/**
 * As the benchmark index of Lighthouse: strings that leave garbage, and copies that leave none, in tens a second. A string, because Node
 * has no types for the page.
 */
const benchmark = `(() => {
  const rateOf = (step) => {
    const from = performance.now();
    let count = 0;
    // The clock is read after ten steps each.
    while (count % 10 !== 0 || performance.now() - from < ${halfMs}) step(count++);
    return (100 * count) / (performance.now() - from);
  };
  const first = Array.from({ length: 100_000 }, (_, i) => i);
  const second = [...first];
  const strings = rateOf(() => {
    let text = '';
    for (let i = 0; i < 10_000; i++) text += 'a';
    if (text.length === 1) throw new Error('prevents the compiler from leaving the loop out');
  });
  const copies = rateOf((count) => {
    const [from, to] = count % 2 === 0 ? [first, second] : [second, first];
    for (let i = 0; i < from.length; i++) to[i] = from[i];
  });
  return (strings + copies) / 2;
})()`;

/** @param page empty, and not slowed down */
export async function machineIndex(page: Page): Promise<number> {
  return Number(await page.evaluate(benchmark));
}

/** Returns by how much the browser is slowed down on a machine of this index: at least 1, which does not slow it down, and at most `referenceRate`. */
export function rateFor(index: number): number {
  return Math.min(referenceRate, Math.max(1, (referenceRate * index) / referenceIndex));
}
