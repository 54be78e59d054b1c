import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('tests that start their own Redis servers', () => {
  it('tests that start their own Redis servers call needsRedisServer, so that they are skipped instead of failing if there is no server', () => {
    const files = ['packages', 'services', 'tools', 'test-e2e'].flatMap((folder) => testsBelow(folder));
    assert.ok(files.length > 100, 'it finds the tests');
    const missing = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      // onAlertSystem calls needsRedisServer for its tests.
      return /\bredis(?:Process|Cluster)\(/.test(text) && !/\b(?:needsRedisServer|onAlertSystem)\(/.test(text);
    });
    assert.deepEqual(missing, []);
  });
});

function testsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : testsBelow(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}
