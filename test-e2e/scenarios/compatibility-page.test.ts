import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { entriesOf, rowsOf } from '../compat/catalog.js';
import { checkNames } from '../compat/checks.js';
import { page, rowsOfPage, written, type ClientResult, type ConversionResult } from '../compat/table.js';

const run = { release: '9.9.9', day: '2030-01-02', node: '20.0.0' };
const passed = Object.fromEntries(checkNames.map((name) => [name, { passed: true }])) as ClientResult['results'];
const client = (results: ClientResult['results']): ClientResult => ({ name: 'Client', version: '1.2.3', results });
const conversion: ConversionResult = { name: 'Converter', version: '4.5.6', target: 'gemini', outcome: { failed: 'a | bad <field>' } };

describe('docs/clients/compatibility.md', () => {
  it('has a row for each client and version of the bench and for each of its conversions, in their order, and no other', async () => {
    const [clients, converters] = [await entriesOf('clients'), await entriesOf('converters')];
    const conversions = [...clients, ...converters].flatMap(({ converts = {}, versions }) =>
      Object.keys(converts).map((name) => ({ name, version: rowsOf([{ name, versions: versions.slice(-1) }])[0]!.version })),
    );
    const shown = rowsOfPage(await readFile(page, 'utf8')).map(({ name, version }) => ({ name, version }));
    assert.deepEqual(shown, [...rowsOf(clients), ...conversions], 'run npm run compat');
    assert.equal(new Set(shown.map(({ name, version }) => `${name} ${version}`)).size, shown.length, 'two rows of one name and version');
  });

  it('says in each cell that something works, does not, cannot be checked or was not run, with a note for all but the first', async () => {
    const text = await readFile(page, 'utf8');
    const notes = text.split('\n').filter((line) => /^\d+\. \S/.test(line)).length;
    for (const { name, cells } of rowsOfPage(text)) {
      const isClient = cells.length === checkNames.length + 1;
      for (const cell of isClient ? cells.slice(0, -1) : cells.slice(1, -1)) {
        const [, mark, note] = /^(yes|\*\*no\*\*|–|not run here)(?: \[(\d+)\])?$/.exec(cell) ?? assert.fail(`${name}: ${cell}`);
        assert.equal(note === undefined, mark === 'yes', `${name}: ${cell}`);
        assert.ok(Number(note ?? 0) <= notes, `${name}: ${cell}`);
      }
      assert.match(cells.at(-1)!, /^\d+\.\d+\.\d+$/);
    }
  });

  it('shows a client that could not be had as not run, never as working, and a failure with its reason', () => {
    const text = written([client({ absent: 'pip has no such version' }), client(passed)], [conversion], run, '');
    const [absent, present, converter] = rowsOfPage(text);
    assert.deepEqual(new Set(absent!.cells.slice(0, -1)), new Set(['not run here [1]']));
    assert.deepEqual(new Set(present!.cells.slice(0, -1)), new Set(['yes']));
    assert.deepEqual(converter!.cells, ['gemini', '**no** [2]', '9.9.9']);
    // A run of some files keeps the others, with their notes and since when.
    const later = written(
      [client(null)],
      [
        { ...conversion, outcome: null },
        { ...conversion, name: 'New', outcome: { passed: true } },
      ],
      { ...run, release: '9.9.10' },
      text,
    );
    assert.deepEqual(
      rowsOfPage(later).map(({ cells }) => cells.at(-1)),
      ['9.9.9', '9.9.9', '9.9.10'],
    );
    assert.deepEqual(rowsOfPage(later)[0]!.cells, absent!.cells);
    assert.match(text, /^1\. pip has no such version\n2\. a {3}bad {2}field $/m);
  });
});
