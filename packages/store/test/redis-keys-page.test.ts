import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { redisKeysPage, redisKeysPageFile } from './programs/redis-keys-page.js';

describe('docs/redis-keys.md', () => {
  it('lists every key of src/redis/keys.ts with its comment (npx pnpm run -r generate writes it)', () => {
    assert.equal(readFileSync(redisKeysPageFile, 'utf8'), redisKeysPage());
  });

  it('the generator of docs/reference/redis-keys.md fails if a key has a form that it cannot read', () => {
    const source =
      "/** Keys. */\n\n/** Keys of one robot. */\nexport const robotKeys = {\n  odd: function () { return 'x' },\n  next: (robot: string) =>\n    // why\n    `perch:{${robot}}`,\n} as const;\nconst x = () => 'perch:{y}';\n";
    assert.throws(() => redisKeysPage(source), /keys\.ts: 1 keys, 0 of them/);
  });
});
