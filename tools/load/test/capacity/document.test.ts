import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capacityDocument } from '../../src/capacity/document.js';
import { readSources } from '../../src/capacity/sources.js';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));

describe('docs/capacity.md', () => {
  it('matches what npm run capacity computes from the committed reports', () => {
    assert.equal(readFileSync(join(docs, 'capacity.md'), 'utf8'), capacityDocument(readSources(docs)), 'run npm run capacity');
  });
});
