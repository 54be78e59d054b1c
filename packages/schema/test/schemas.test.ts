import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemas } from '../src/validation/ajv.js';
import '../src/index.js';

describe('the schemas', () => {
  it('compiles only valid JSON Schemas of 2020-12', () => {
    const ajv = new Ajv2020();
    for (const schema of schemas) assert.ok(ajv.validateSchema(schema), `${JSON.stringify(schema).slice(0, 200)}: ${ajv.errorsText()}`);
    assert.ok(schemas.length > 20, `${schemas.length} schemas`);
    assert.equal(ajv.validateSchema({ type: 'text' }), false);
  });
});
