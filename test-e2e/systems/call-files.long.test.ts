import assert from 'node:assert/strict';
import { measuredTable, tableOfPage } from '../fixture/system/call-files.js';

describe('the files of a call in ARCHITECTURE.md', () => {
  it('are those that warm calls of leds and ask run through (npm run coverage:path -- --write)', async () => {
    assert.deepEqual((await measuredTable()).split('\n'), tableOfPage().split('\n'));
  });
});
