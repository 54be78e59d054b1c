import assert from 'node:assert/strict';
import type { RowName } from '../src/goals.js';
import type { Report } from '../src/report/report.js';
import { figureOf, onSmallRuns, smallRun } from './smoke.js';

onSmallRuns('npm run bench on counts', () => {
  let report: Report;
  // All groups count on the same services.
  before(async () => {
    report = await smallRun(['redis-traffic', 'questions', 'pictures']);
  });

  it('counts the same commands at the client as the server, with one awaited round trip', () => {
    assert.equal(figureOf(report, 'commands the server counted otherwise than the client'), 0);
    assert.equal(figureOf(report, 'awaited round trips'), 1);
    // Once a second the log of activity is written, with one command for each of up to 32 robots: 0.3 for a hundred calls.
    const onCluster = figureOf(report, 'commands on a Cluster, 1 in flight')!;
    assert.ok(onCluster >= 3 && onCluster < 3.5, String(onCluster));
  });

  it('counts one command and no job for a picture seen before, and one job for 64 equal requests', () => {
    assert.equal(figureOf(report, 'commands of a picture seen before'), 1);
    assert.equal(figureOf(report, 'jobs of a picture seen before'), 0);
    assert.equal(figureOf(report, 'jobs of 64 equal requests'), 1);
  });

  it('counts what a new question costs, and no count exceeds what it was', () => {
    const figure = (name: RowName): number => figureOf(report, name)!;
    for (const name of ['a new question at the robot, p50', 'a new question at the robot, p99', 'CPU of a new question'] as const)
      assert.ok(figure(name) > 0, name);
    // The goals are 4 round trips, 6 and 13 kB; a change that lowers a count lowers its bound here, too.
    assert.equal(figure('awaited round trips of a known question'), 2);
    const [png8, lossless] = [figure('bytes of a picture, png8'), figure('bytes of a picture, lossless')];
    assert.ok(png8 <= 5.5 && lossless <= 12 && png8 < lossless, `${png8} and ${lossless} kB`);
  });
});
