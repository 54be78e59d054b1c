import assert from 'node:assert/strict';
import { measuredTable, tableOfPage } from '../fixture/system/call-files.js';

describe('ARCHITECTURE.md', () => {
  it('lists the files that warm calls of leds and ask run through, as npm run coverage:path -- --write writes them', async () => {
    assert.deepEqual((await measuredTable()).split('\n'), tableOfPage().split('\n'));
  });
});
