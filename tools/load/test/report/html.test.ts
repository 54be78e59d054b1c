import assert from 'node:assert/strict';
import { htmlOf } from '../../src/report/html.js';
import { linePlotSvg } from '../../src/report/line-plot.js';
import { sampleReport, workerResult } from './sample-report.js';

describe('the HTML report', () => {
  it('needs no script and no external file', () => {
    const html = htmlOf(sampleReport());
    assert.doesNotMatch(html, /<script|<link|<img|\ssrc=|\shref=|url\(|@import/);
    assert.ok((html.match(/<svg /g) ?? []).length >= 5);
  });

  it('escapes names', () => {
    const html = htmlOf(sampleReport([workerResult({ problems: ['<b>&'] })]));
    assert.ok(html.includes('gateway &lt;1&gt;') && html.includes('&lt;b&gt;&amp;'));
    assert.ok(!html.includes('<b>&'));
  });

  it('names the storm, and the thresholds that were exceeded', () => {
    const storm = { killed: 'robot-link l', lost: 5, back: 5, back_s: 2.5, others: sampleReport().late };
    const html = htmlOf(sampleReport([workerResult({ connected: 4 })], [], { storm }));
    assert.ok(html.includes('robot-link l') && html.includes('2.5') && html.includes('NOT HELD'));
  });
});

describe('a line plot', () => {
  it('has a point for each value, and a gap for null', () => {
    const svg = linePlotSvg({ title: 'Memory', unit: 'MB', s: [1, 2, 3, 4], lines: [{ label: 'a', values: [1, null, 3, 4] }] });
    const [, path] = /<path d="([^"]*)"/.exec(svg)!;
    assert.match(path!, /^M[\d.]+ [\d.]+M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
  });

  it('draws empty data and zeros', () => {
    assert.doesNotMatch(linePlotSvg({ title: 'x', unit: 'y', s: [], lines: [{ label: 'a', values: [] }] }), /NaN|Infinity/);
    assert.doesNotMatch(linePlotSvg({ title: 'x', unit: 'y', s: [1], lines: [{ label: 'a', values: [0] }] }), /NaN|Infinity/);
  });
});
