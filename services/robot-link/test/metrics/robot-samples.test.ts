import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { robotMetrics } from '@perch/runtime';
import { skipTest } from '@perch/testkit';
import { outcomes, robotSamples, robotsPerSlice, type RobotReport } from '../../src/metrics/robots-page.js';
import { sensors } from '../../src/metrics/reading-units.js';
import { reportedRobot, reportedRobots } from './robots.js';

const textOf = (robots: readonly RobotReport[]): string => [...robotSamples(robots)].join('');
const samplesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('metrics of each robot', () => {
  it('returns the readings of a robot in base units, its acks, and that it is up', () => {
    assert.deepEqual(samplesOf(textOf([reportedRobot('r-1')])), [
      'perch_robot_up{account="a-1",robot="r-1"} 1',
      'perch_robot_battery_ratio{account="a-1",robot="r-1"} 0.81',
      'perch_robot_wifi_rssi_dbm{account="a-1",robot="r-1"} -58',
      'perch_robot_temperature_celsius{account="a-1",robot="r-1",sensor="head_yaw"} 41',
      'perch_robot_temperature_celsius{account="a-1",robot="r-1",sensor="head_pitch"} 43',
      'perch_robot_temperature_celsius{account="a-1",robot="r-1",sensor="chip"} 46.5',
      `perch_robot_free_heap_bytes{account="a-1",robot="r-1"} ${148 * 1024}`,
      'perch_robot_acks_total{account="a-1",robot="r-1",outcome="ack"} 7',
      'perch_robot_acks_total{account="a-1",robot="r-1",outcome="nack"} 1',
      'perch_robot_acks_total{account="a-1",robot="r-1",outcome="no_ack"} 0',
    ]);
  });

  it('returns the metrics and label values that the metric table lists', () => {
    const text = textOf([reportedRobot('r-1')]);
    assert.deepEqual(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
      Object.entries(robotMetrics).map(([name, { type }]) => [name, type]),
    );
    assert.deepEqual(robotMetrics.perch_robot_temperature_celsius.labels.sensor, sensors);
    assert.deepEqual(robotMetrics.perch_robot_acks_total.labels.outcome, outcomes);
  });

  it('omits readings that the robot has not reported or whose sensor failed', () => {
    const samples = samplesOf(textOf([reportedRobot('r-1', { readings: { battery_pct: null, chip_temp_c: 46 } })]));
    assert.equal(samples.filter((line) => /battery|wifi|heap/.test(line)).length, 0);
    assert.equal(samples.filter((line) => line.startsWith('perch_robot_temperature_celsius')).length, 1);
    assert.equal(samples.length, 1 + 1 + 3);
  });

  it('omits an impossible free heap, which would not even be a number in bytes', () => {
    for (const heap_free_kb of [Number.MAX_VALUE, 1e300, 16 * 1024 * 1024 + 1])
      assert.doesNotMatch(textOf([reportedRobot('r-1', { readings: { heap_free_kb } })]), /^perch_robot_free_heap_bytes/m);
    assert.match(
      textOf([reportedRobot('r-1', { readings: { heap_free_kb: 16 * 1024 * 1024 } })]),
      /^perch_robot_free_heap_bytes\{.*\} 17179869184$/m,
    );
  });

  it('groups samples by metric, in slices of a limited number of robots', () => {
    const robots = reportedRobots(3 * robotsPerSlice + 1);
    const slices = [...robotSamples(robots)];
    const samplesPerRobot = Object.keys(robotMetrics).length + 2 + 2;
    assert.equal(samplesOf(slices.join('')).length, robots.length * samplesPerRobot);
    for (const slice of slices) assert.ok(samplesOf(slice).length <= robotsPerSlice * 3);
    assert.equal(slices.filter((slice) => !slice.startsWith('#')).length, 4 * Object.keys(robotMetrics).length);
    const names = samplesOf(slices.join('')).map((line) => line.slice(0, line.indexOf('{')));
    assert.deepEqual(
      names.filter((name, i) => name !== names[i - 1]),
      Object.keys(robotMetrics),
    );
  });

  it('stops in the middle for a robot that disconnects in the middle', () => {
    const leaves = { ...reportedRobot('r-leaves'), isOver: false };
    let text = '';
    for (const slice of robotSamples([leaves, reportedRobot('r-stays')])) {
      text += slice;
      if (slice.startsWith('perch_robot_battery_ratio')) leaves.isOver = true;
    }
    assert.equal(samplesOf(text).filter((line) => line.includes('r-leaves')).length, 2);
    assert.equal(samplesOf(text).filter((line) => line.includes('r-stays')).length, 10);
  });

  it('escapes label values as the format requires', () => {
    const [up] = samplesOf(textOf([reportedRobot('r-1', { account: 'a"b\\c\nd' })]));
    assert.equal(up, String.raw`perch_robot_up{account="a\"b\\c\nd",robot="r-1"} 1`);
  });

  it('generates text that promtool accepts without a warning', function () {
    if (spawnSync('promtool', ['--version']).status !== 0) skipTest(this, 'promtool is needed, and is not on PATH');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: textOf(reportedRobots(3)), encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  });
});
