import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { metricGroups, metricTable } from '../../src/metrics/table.js';
import { metricsPage, metricsPageFile } from '../programs/metrics-page.js';

describe('docs/reference/metrics.md', () => {
  const page = readFileSync(metricsPageFile, 'utf8');

  it('is up to date with the table of metrics: npx pnpm --filter @perch/runtime run generate', () => {
    assert.equal(page, metricsPage());
  });

  it('lists every metric of the table once and no other', () => {
    const listed = [...page.matchAll(/^\| `(perch_\w+)` /gm)].map(([, name]) => name!);
    assert.deepEqual(listed.toSorted(), Object.keys(metricTable).toSorted());
  });

  it('has each metric of the table in exactly one group', () => {
    const grouped = metricGroups.flatMap(({ metrics }) => Object.keys(metrics));
    assert.deepEqual(grouped.toSorted(), Object.keys(metricTable).toSorted());
  });
});
