import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { generatedFiles } from './programs/generated.js';

describe('generated files of the client', () => {
  it('matches the schemas; otherwise run pnpm --filter @perch/client run generate', async () => {
    const src = new URL('../src/', import.meta.url);
    const files = await generatedFiles();
    for (const [name, text] of Object.entries(files)) assert.equal(await readFile(new URL(name, src), 'utf8'), text, name);
    const present = (await readdir(src)).filter((name) => name.includes('.generated.'));
    assert.deepEqual(present.toSorted(), Object.keys(files).toSorted());
  });
});
