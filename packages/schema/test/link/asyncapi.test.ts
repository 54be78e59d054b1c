import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { asyncApiDocument, closeCodes, inputKinds, robotCommandNames } from '../../src/index.js';
import { asyncApiFile, documentedHost } from './asyncapi-file.js';
import { linkExamples } from '../../src/link/asyncapi.js';
import { lint } from '../redocly.js';

const document = asyncApiDocument('robots.test');

describe('the AsyncAPI description of the robot link', () => {
  it('passes redocly lint without errors or warnings', async () => {
    assert.deepEqual(await lint(document), { errors: 0, warnings: 0, ignored: 0, problems: [] });
  });

  it('has every message, with an example that validates', () => {
    const text = Object.values(document.components.messages).filter(({ name }) => name !== 'media');
    assert.deepEqual(text.map(({ name }) => name).sort(), Object.keys(linkExamples).sort());
    for (const { name, payload, examples } of text) {
      const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(payload);
      assert.ok(examples !== undefined && examples.length > 0, name);
      for (const example of examples) assert.ok(fits(example.payload), `${name}: ${JSON.stringify(fits.errors)}`);
    }
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    assert.ok(references.length > 40);
    for (const path of references) {
      let at: unknown = document;
      for (const key of path.split('/')) at = (at as Record<string, unknown> | undefined)?.[key];
      assert.ok(at !== undefined, path);
    }
  });

  it('names every input, command and close code', () => {
    for (const kind of inputKinds) assert.ok(`in_${kind}` in document.components.messages, kind);
    for (const name of robotCommandNames) assert.ok(`args.${name}` in document.components.schemas, name);
    for (const code of Object.keys(closeCodes)) assert.ok(String(document.info['description']).includes(`- ${code} `), code);
  });

  it('uses the given host, with wss', () => {
    assert.deepEqual([document.servers['service']!['host'], document.servers['service']!['protocol']], ['robots.test', 'wss']);
  });

  it('matches the file in docs', () => {
    assert.deepEqual(
      JSON.parse(readFileSync(asyncApiFile, 'utf8')),
      JSON.parse(JSON.stringify(asyncApiDocument(documentedHost))),
      'write it anew with test/programs/write-asyncapi.ts',
    );
  });
});
