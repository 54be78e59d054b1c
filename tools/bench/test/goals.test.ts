import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { allRows, boundText, goals } from '../src/goals.js';

const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');

describe('the goals', () => {
  it('the goals match docs/performance.md line by line', () => {
    const table = page.split('\n## Goals\n')[1]?.split('\n## ')[0] ?? '';
    const lines = [...table.matchAll(/^\| (.+?) \| (.+?) \| .+ \|$/gm)].map(([, title, goal]) => ({ title, goal }));
    assert.deepEqual(
      lines.slice(1),
      goals.map(({ title, goal }) => ({ title, goal })),
    );
  });

  it('each goal has at least one row with a bound, and no row is duplicated', () => {
    for (const { title, rows } of goals)
      assert.ok(
        rows.some(({ bound }) => bound !== null),
        title,
      );
    assert.equal(new Set(allRows.map(({ name }) => name)).size, allRows.length);
  });

  it('each number in the line of a goal is the bound of a row', () => {
    for (const { goal, rows } of goals) {
      const bounds = rows.flatMap(({ bound }) => (bound === null ? [] : Object.values(bound))).map(Number);
      // "64 equal requests", "per 30 s" and "from 1 to 10,000" are conditions, not bounds.
      const said = goal.replace(/\(at most 4 .*/, '4').replace(/64 equal|per 30 s/g, '');
      for (const number of said.match(/\d+(\.\d+)?/g)!.map(Number)) assert.ok(bounds.includes(number), `${number} of "${goal}"`);
    }
  });

  it('a bound is shown in words', () => {
    assert.deepEqual(
      [boundText({ atMost: 2 }), boundText({ atLeast: 2 }), boundText({ exactly: 2 }), boundText(null)],
      ['at most 2', 'at least 2', '2', null],
    );
  });
});
