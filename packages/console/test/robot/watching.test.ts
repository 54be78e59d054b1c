import assert from 'node:assert/strict';
import { eventNames, readingNames, type RobotEvent } from '@perch/schema';
import { eventKinds } from '../../src/pages/robot/events/event-kinds.js';
import { eventRuns } from '../../src/pages/robot/events/event-runs.js';
import { formatData } from '../../src/pages/robot/events/event-data.js';
import { readingGroups } from '../../src/pages/robot/readings/reading-groups.js';
import { emptyHistory, historyMax, withReadings } from '../../src/pages/robot/readings/reading-history.js';
import { formatReading } from '../../src/pages/robot/readings/reading-format.js';
import { sparklinePath } from '../../src/pages/robot/readings/sparkline-path.js';

describe('readings on the page', () => {
  it('has each reading of the schema in exactly one group', () => {
    assert.deepEqual(readingGroups.flatMap(({ names }) => names).sort(), [...readingNames].sort());
  });

  it('formats readings with their units', () => {
    assert.deepEqual(formatReading('battery_pct', 81), { label: 'Battery', text: '81 %' });
    assert.deepEqual(formatReading('head_yaw_deg', -3.46), { label: 'Head yaw', text: '-3.5°' });
    assert.deepEqual(formatReading('wifi_ssid', 'home'), { label: 'Wi-Fi network', text: 'home' });
    assert.deepEqual(formatReading('charging', true), { label: 'Charging', text: 'yes' });
    assert.deepEqual(formatReading('light_lux', null), { label: 'Light', text: 'no value' });
    assert.deepEqual(formatReading('battery_v', 4.018), { label: 'Battery voltage', text: '4.02 V' });
    assert.deepEqual(formatReading('uptime_s', 3725), { label: 'Uptime', text: '1 h 2 min' });
  });

  it('keeps a history of bounded length', () => {
    let history = emptyHistory;
    for (let i = 0; i < historyMax + 5; i++) history = withReadings(history, { battery_pct: i, charging: true }, `t${i}`);
    assert.deepEqual(Object.keys(history.lines), ['battery_pct']);
    assert.equal(history.lines['battery_pct']!.length, historyMax);
    assert.equal(history.lines['battery_pct']!.at(-1), historyMax + 4);
  });

  it('ignores a repeated report, and leaves a gap for a missing reading', () => {
    const one = withReadings(emptyHistory, { battery_pct: 1 }, 'a');
    assert.equal(withReadings(one, { battery_pct: 1 }, 'a'), one);
    assert.equal(withReadings(one, {}, null), one);
    const two = withReadings(one, { light_lux: 5 }, 'b');
    assert.deepEqual(two.lines, { battery_pct: [1, null], light_lux: [null, 5] });
  });

  it('draws a sparkline over its full box with gaps, and none for a single value', () => {
    assert.equal(sparklinePath([0, 10], 100, 20), 'M0 20L100 0');
    assert.equal(sparklinePath([5, 5, 5], 100, 20), 'M0 10L50 10L100 10');
    assert.equal(sparklinePath([0, null, 10], 100, 20), 'M0 20M100 0');
    assert.equal(sparklinePath([0, 10], 100, 20, 20), 'M0 15L100 5');
    assert.equal(sparklinePath([null, 3], 100, 20), '');
  });
});

describe('events on the page', () => {
  it('has each event of the schema in exactly one kind', () => {
    assert.deepEqual(eventKinds.flatMap(({ names }) => names).sort(), [...eventNames].sort());
  });

  it('folds equal events that follow each other, but not past a gap', () => {
    const event = (seq: number, name: 'connected' | 'tap', data = {}) => ({ seq, name, data, at: `2030-01-01T00:00:0${seq}Z` });
    const connected = (seq: number) => event(seq, 'connected');
    const folded = (events: RobotEvent[], gap: number | null = null) =>
      eventRuns(events, gap).map(({ event: { seq }, first, count }) => [seq, first.seq, count]);
    assert.deepEqual(folded([connected(5), connected(4), event(3, 'tap', { x: 1 }), event(2, 'tap', { x: 2 }), connected(1)]), [
      [5, 4, 2],
      [3, 3, 1],
      [2, 2, 1],
      [1, 1, 1],
    ]);
    assert.deepEqual(folded([connected(5), connected(4), connected(3)], 4), [
      [5, 4, 2],
      [3, 3, 1],
    ]);
  });

  it('folds presses of one infrared button, whose lengths differ a little', () => {
    const press = (seq: number, code: string, us: number) => ({
      seq,
      name: 'remote' as const,
      data: { code, raw: [us, us, us] },
      at: `2030-01-01T00:00:0${seq}Z`,
    });
    const counts = eventRuns([press(4, 'b', 500), press(3, 'a', 510), press(2, 'a', 490)], null).map(({ count }) => count);
    assert.deepEqual(counts, [1, 2]);
  });

  it('formats the data of an event in one line', () => {
    assert.equal(formatData({ x: 160, y: 120 }), 'x 160, y 120');
    assert.equal(formatData({ code: '4568b718181c937c', raw: [1, 2, 3], truncated: ['raw'] }), 'code 4568b718181c937c, raw 3 lengths, truncated raw');
    assert.equal(formatData({}), '');
  });
});
