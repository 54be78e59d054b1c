import assert from 'node:assert/strict';
import { actions, compounds, openApiDocument } from '../src/index.js';
import { lint } from './redocly.js';

interface Item {
  get?: { parameters?: object[] };
  post?: { parameters?: object[] };
}

describe('Idempotency-Key in the OpenAPI description', () => {
  const document = openApiDocument('https://robots.test');
  const paths = document.paths as unknown as Record<string, Item>;
  const parameter = { $ref: '#/components/parameters/IdempotencyKey' };

  it('adds the parameter to every operation that acts, and to no other', () => {
    for (const { name, effect } of [...actions, ...compounds]) {
      const { parameters = [] } = paths[`/v1/robots/{robot}/${name}`]!.post!;
      assert.deepEqual(parameters, effect.readOnly ? [] : [parameter], name);
    }
    assert.ok(!JSON.stringify(paths['/v1/robots/{robot}/events']!.get).includes('IdempotencyKey'));
  });

  it('describes an optional header of 1 to 255 visible characters', () => {
    const {
      name,
      in: where,
      required,
      schema,
    } = document.components!.parameters!['IdempotencyKey'] as {
      name: string;
      in: string;
      required: boolean;
      schema: { pattern: string };
    };
    assert.deepEqual([name, where, required], ['Idempotency-Key', 'header', false]);
    const fits = new RegExp(schema.pattern);
    for (const good of ['a', '!~', 'x'.repeat(255), '"quoted"']) assert.ok(fits.test(good), good);
    for (const bad of ['', 'a b', 'ü', 'x'.repeat(256), 'a\n', 'a, b']) assert.ok(!fits.test(bad), bad);
  });

  it('passes redocly lint', async () => {
    assert.deepEqual(await lint(document), { errors: 0, warnings: 0, ignored: 0, problems: [] });
  });
});
