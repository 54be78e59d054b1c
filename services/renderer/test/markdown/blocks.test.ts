import assert from 'node:assert/strict';
import fc from 'fast-check';
import { blocksOf, loadMarkdown, type Block, type Span } from '../../src/markdown/blocks.js';

const marks = (spans: readonly Span[]): string =>
  spans.map(({ text, bold, code }) => (bold && code ? `<bc>${text}</bc>` : bold ? `<b>${text}</b>` : code ? `<c>${text}</c>` : text)).join('');

function shown(text: string): unknown[] {
  return blocksOf(text).map((block: Block) => {
    if (block.kind === 'code') return { code: block.lines };
    if (block.kind === 'table') return { table: block.rows.map((row) => row.map(marks)), aligns: block.aligns, ...(block.cut ? { cut: true } : {}) };
    const marker = block.marker === undefined ? '' : `${block.marker} `;
    return `${'  '.repeat(block.indent)}${marker}${marks(block.spans)}`;
  });
}

describe('blocksOf', () => {
  before(loadMarkdown);

  it('returns bold and code as styles, and the text of anything else', () => {
    assert.deepEqual(shown('a **b** `c` **d `e`**'), ['a <b>b</b> <c>c</c> <b>d </b><bc>e</bc>']);
    assert.deepEqual(shown('*a* ~~b~~ [c](https://d) ![e](f) &lt;g&gt; \\*h\\*'), ['a b c e <g> *h*']);
    assert.deepEqual(shown('# Head\n\n> quote\n\n---\nrest'), ['<b>Head</b>', '  quote', 'rest']);
    assert.deepEqual(shown('a <i>b</i>'), ['a <i>b</i>']);
  });

  it('keeps line breaks', () => {
    assert.deepEqual(shown('a\nb<br>c'), ['a', 'b', 'c']);
  });

  it('returns list items with their markers and levels', () => {
    assert.deepEqual(shown('- a\n- **b**\n  - c\n\n3. d\n4. e'), ['  • a', '  • <b>b</b>', '    • c', '  3. d', '  4. e']);
    assert.deepEqual(shown('- [x] done\n- [ ] open'), ['  ☑ done', '  ☐ open']);
    assert.deepEqual(shown('- \n- a'), ['  • ', '  • a'].slice(1));
  });

  it('returns code with its spaces, and tables with the alignment of their columns', () => {
    assert.deepEqual(shown('```js\nif (a) {\n  b();\n}\n```'), [{ code: ['if (a) {', '  b();', '}'] }]);
    assert.deepEqual(shown('| a | b | c |\n|---|--:|:-:|\n| 1 | **2** | `3` |'), [
      {
        table: [
          ['<b>a</b>', '<b>b</b>', '<b>c</b>'],
          ['1', '<b>2</b>', '<c>3</c>'],
        ],
        aligns: ['start', 'right', 'center'],
      },
    ]);
  });

  it('returns the header and five rows of a longer table, and that it is cut', () => {
    const table = (rows: number): Block | undefined => blocksOf(`| a |\n|---|\n${'| x |\n'.repeat(rows)}`)[0];
    const [five, six] = [table(5), table(6)];
    assert.ok(five?.kind === 'table' && six?.kind === 'table');
    assert.deepEqual([five.rows.length, five.cut], [6, false]);
    assert.deepEqual([six.rows.length, six.cut], [6, true]);
  });

  it('returns a text that has no content in Markdown as it is', () => {
    for (const text of ['***', '[a]: b', '-', '#', '**\u200b**', '[](a)']) assert.deepEqual(shown(text), [text]);
    for (const text of ['```\n\n```', '| |\n|-|\n| |']) assert.deepEqual(shown(text), text.split('\n'));
    assert.deepEqual(shown('a\n\n```\n```'), ['a']);
  });

  it('parses any text, in less than a second of processor time', () => {
    const hostile = ['*', '**', '`', '[', '](', '> ', '- ', '| ', '|-', '\n', '<', '&', '_', '~', '\\', '1. ', '#', 'a', ' '];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...hostile), { maxLength: 500 }), (all) => assert.ok(blocksOf(all.join('')).length > 0)),
      { numRuns: 300 },
    );
    for (const part of hostile) {
      const before = process.cpuUsage();
      blocksOf(part.repeat(1000 / part.length));
      assert.ok(process.cpuUsage(before).user < 1_000_000, JSON.stringify(part));
    }
  });
});
