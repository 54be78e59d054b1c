import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { metricGroups, metricTable } from '../../src/metrics/table.js';
import { metricsPage, metricsPageFile } from '../programs/metrics-page.js';

describe('docs/reference/metrics.md', () => {
  const page = readFileSync(metricsPageFile, 'utf8');

  it('matches the table of metrics (to update it: npx pnpm --filter @perch/runtime run generate)', () => {
    assert.equal(page, metricsPage());
  });

  it('lists every metric of the table once and no others', () => {
    const listed = [...page.matchAll(/^\| `(perch_\w+)` /gm)].map(([, name]) => name!);
    assert.deepEqual(listed.toSorted(), Object.keys(metricTable).toSorted());
  });

  it('puts each metric of the table into exactly one group', () => {
    const grouped = metricGroups.flatMap(({ metrics }) => Object.keys(metrics));
    assert.deepEqual(grouped.toSorted(), Object.keys(metricTable).toSorted());
  });
});
