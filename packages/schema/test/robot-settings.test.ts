import assert from 'node:assert/strict';
import { isQuietAt, type QuietHours } from '../src/index.js';

function quietTimes(quietHours: QuietHours, timeZone: string, times: readonly string[]): boolean[] {
  return times.map((time) => isQuietAt({ quietHours, timeZone }, Date.parse(time)));
}

describe('quiet hours', () => {
  it('quiet hours begin with the minute `from`, and end when the minute `to` begins', () => {
    const times = ['2026-01-15T12:59:59.999Z', '2026-01-15T13:00:00Z', '2026-01-15T14:29:59.999Z', '2026-01-15T14:30:00Z'];
    assert.deepEqual(quietTimes({ from: '13:00', to: '14:30' }, 'UTC', times), [false, true, true, false]);
  });

  it('quiet hours include midnight if they end earlier than they begin', () => {
    const times = ['2026-01-15T21:59:00Z', '2026-01-15T22:00:00Z', '2026-01-16T00:00:00Z', '2026-01-16T06:59:59Z', '2026-01-16T07:00:00Z'];
    assert.deepEqual(quietTimes({ from: '22:00', to: '07:00' }, 'UTC', times), [false, true, true, true, false]);
    assert.deepEqual(quietTimes({ from: '00:00', to: '06:00' }, 'UTC', ['2026-01-15T23:59:00Z', '2026-01-16T00:00:00Z']), [false, true]);
    assert.deepEqual(quietTimes({ from: '22:00', to: '00:00' }, 'UTC', ['2026-01-15T23:59:00Z', '2026-01-16T00:00:00Z']), [true, false]);
  });

  it('quiet hours follow the clock at the robot, also west of UTC, at quarter hours and beyond the date line', () => {
    const night = { from: '22:00', to: '07:00' };
    assert.deepEqual(quietTimes(night, 'America/Los_Angeles', ['2026-01-15T05:59:00Z', '2026-01-15T06:00:00Z']), [false, true]);
    assert.deepEqual(quietTimes(night, 'Asia/Kathmandu', ['2026-01-15T16:14:00Z', '2026-01-15T16:15:00Z']), [false, true]);
    assert.deepEqual(quietTimes(night, 'Pacific/Kiritimati', ['2026-01-15T07:59:00Z', '2026-01-15T08:00:00Z']), [false, true]);
  });

  it('quiet hours begin and end at the same time of day in summer and in winter', () => {
    const night = { from: '22:00', to: '07:00' };
    assert.deepEqual(quietTimes(night, 'Europe/Berlin', ['2026-01-15T05:59:00Z', '2026-01-15T06:00:00Z']), [true, false]);
    assert.deepEqual(quietTimes(night, 'Europe/Berlin', ['2026-07-15T04:59:00Z', '2026-07-15T05:00:00Z']), [true, false]);
  });

  it('quiet hours skip the hour that the clock skips, and contain both of a repeated one', () => {
    // Berlin, 2026-03-29: 01:00 UTC turns 02:00 into 03:00. 2026-10-25: 01:00 UTC turns 03:00 into 02:00.
    const early = { from: '02:15', to: '02:45' };
    const spring = ['2026-03-29T00:30:00Z', '2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'];
    assert.deepEqual(quietTimes(early, 'Europe/Berlin', spring), [false, false, false, false]);
    assert.deepEqual(
      quietTimes({ from: '01:30', to: '03:30' }, 'Europe/Berlin', ['2026-03-29T00:30:00Z', '2026-03-29T01:29:00Z', '2026-03-29T01:30:00Z']),
      [true, true, false],
    );
    const autumn = ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', '2026-10-25T01:30:00Z', '2026-10-25T01:45:00Z'];
    assert.deepEqual(quietTimes(early, 'Europe/Berlin', autumn), [true, false, true, false]);
  });

  it('quiet hours are in UTC for a time zone that this release does not know', () => {
    assert.deepEqual(quietTimes({ from: '22:00', to: '07:00' }, 'Mars/Olympus', ['2026-01-15T21:59:00Z', '2026-01-15T22:00:00Z']), [false, true]);
  });
});
