import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { timings } from '../../src/own-screen/index.js';
import { faceSheet, faceSheetFile } from './face-sheet.js';

const page = readFileSync(new URL('../../../../docs/robot-link.md', import.meta.url), 'utf8');

/** Returns the timings of the page's table: a number, or numbers by name. */
function documented(): Record<string, unknown> {
  const section = page.slice(page.indexOf('## The face by itself')).split('\n## ', 2)[0]!;
  const rows = [...section.matchAll(/^\| `(\w+)` \|.*\| (.+) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, name, cell]) => {
      const named = [...cell!.matchAll(/`(\w+)` ([\d.]+)/g)].map(([, part, value]) => [part, Number(value)] as const);
      return [name, named.length === 0 ? Number(cell) : Object.fromEntries(named)];
    }),
  );
}

describe('the documented face', () => {
  it('has the timings of the reference in docs/robot-link.md', () => {
    assert.deepEqual(documented(), timings);
  });

  it('docs/images/face.svg has the face as it is drawn now', () => {
    assert.equal(readFileSync(faceSheetFile, 'utf8'), faceSheet(), 'run npx pnpm@10.34.9 -r run generate');
  });
});
