import assert from 'node:assert/strict';
import { activityColumns, activityCsvLine, csvLine, type ActivityView } from '../src/index.js';

describe('the activity as CSV', () => {
  it('quotes what needs quotes, and doubles quotes inside', () => {
    assert.equal(csvLine(['a', 'b,c', 'say "hi"', 'two\nlines', 3, '']), 'a,"b,c","say ""hi""","two\nlines",3,\r\n');
  });

  it('puts an apostrophe before a text that a spreadsheet would take for a formula, and leaves numbers alone', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '\r=1']) {
      const cell = csvLine([text]).trimEnd().replace(/^"/, '');
      assert.ok(cell.startsWith("'"), JSON.stringify(cell));
    }
    assert.equal(csvLine([-1.5, 'a=b']), '-1.5,a=b\r\n');
  });

  it('has a column for every field of an entry', () => {
    const entry: ActivityView = {
      seq: 1,
      at: '2026-11-24T00:00:00.000Z',
      kind: 'calls',
      via: 'http',
      key: { id: 'k-1', name: '=cmd' },
      robot: 'r-1',
      action: 'ask',
      outcome: 'answered',
      count: 1,
      seconds: 1.5,
      question: 'Tea?',
      answer: 'Yes',
      x: 1,
      y: 2,
      tap_s: 0.5,
      network: null,
      subject: null,
      guest: null,
    };
    const line = activityCsvLine(entry);
    assert.equal(line, "1,2026-11-24T00:00:00.000Z,calls,http,k-1,'=cmd,r-1,ask,answered,1,1.5,Tea?,Yes,1,2,0.5,,,\r\n");
    const fields = Object.keys(entry).flatMap((name) => (name === 'key' ? ['key_id', 'key_name'] : [name]));
    assert.deepEqual([...activityColumns], fields);
  });
});
