import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventSchemas } from '@perch/schema';
import { eventExamples } from '../src/events-page.js';
import { typeOf } from '../src/field-rows.js';
import { referencePages } from '../src/pages.js';

const reference = fileURLToPath(new URL('../../../docs/reference', import.meta.url));

describe('the generated reference', () => {
  it('has exactly the pages that the generator writes', () => {
    const pages = referencePages();
    const actions = readdirSync(join(reference, 'actions')).map((name) => `actions/${name}`);
    assert.deepEqual(actions.toSorted(), [...pages.keys()].filter((path) => path.startsWith('actions/')).toSorted());
    for (const [path, text] of pages) assert.equal(readFileSync(join(reference, path), 'utf8'), text, path);
  });

  it('has no link to a file or a heading that does not exist', () => {
    for (const [path, text] of referencePages())
      for (const [, link, anchor] of text.matchAll(/\]\(([^)#:]+)(?:#([^)]*))?\)/g)) {
        const file = join(reference, dirname(path), link!);
        assert.ok(existsSync(file), `${path}: ${link}`);
        const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
        assert.ok(anchor === undefined || headings.includes(anchor), `${path}: ${link}#${anchor}`);
      }
  });

  it('gives an example of each event that its schema accepts', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });
    for (const [name, schema] of eventSchemas) {
      const fits = ajv.compile(schema);
      assert.ok(fits({ seq: 1, name, data: eventExamples[name], at: '2026-12-24T18:00:00.000Z' }), `${name}: ${JSON.stringify(fits.errors)}`);
    }
  });

  it('states limits of texts, numbers and lists', () => {
    assert.equal(typeOf({ type: 'string', minLength: 1, maxLength: 64 }), 'string, 1 to 64 characters');
    assert.equal(typeOf({ type: 'number', exclusiveMinimum: 0, maximum: 120 }), 'number, over 0 up to 120');
    assert.equal(typeOf({ type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 6 }), 'list of integer, 2 to 6');
    assert.equal(typeOf({ anyOf: [{ type: 'number' }, { type: 'null' }] }), 'number or null');
  });
});
