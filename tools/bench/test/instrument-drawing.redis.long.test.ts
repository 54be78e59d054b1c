import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { onSmallRuns, rowsOf, smallRun } from './smoke.js';

onSmallRuns('npm run bench on drawing', () => {
  it('compares new pictures and questions with another build, and answers all of them', async () => {
    const report = await smallRun(['drawing'], fileURLToPath(new URL('../../..', import.meta.url)));
    for (const { name, figure } of rowsOf('a new picture', report)) assert.ok(figure !== null && figure > 0, `${name}: ${figure}`);
  });
});
