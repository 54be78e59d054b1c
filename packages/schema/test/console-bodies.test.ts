import assert from 'node:assert/strict';
import { ApiError, validateAddKey, validateAddRobot, validateRobotChange, validateRollKey } from '../src/index.js';

const now = Date.parse('2026-01-01T00:00:00Z');

function fieldOf(check: () => unknown): string | undefined {
  try {
    check();
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'bad_argument', String(error));
    return error.field;
  }
  return assert.fail('nothing was wrong');
}

describe('request bodies of the console', () => {
  it('accepts a code or virtual for a new robot, with an optional name', () => {
    assert.deepEqual(validateAddRobot({ code: 'BCDF-2345' }), { code: 'BCDF-2345' });
    assert.deepEqual(validateAddRobot({ code: 'BCDF-2345', name: ' Pip ' }), { code: 'BCDF-2345', name: 'Pip' });
    assert.deepEqual(validateAddRobot({ virtual: true, name: '' }), { virtual: true, name: '' });
    assert.equal(
      fieldOf(() => validateAddRobot({})),
      'code',
    );
    assert.equal(
      fieldOf(() => validateAddRobot({ code: '' })),
      'code',
    );
    assert.equal(
      fieldOf(() => validateAddRobot({ code: 5 })),
      'code',
    );
    assert.equal(
      fieldOf(() => validateAddRobot({ virtual: false })),
      'virtual',
    );
    assert.equal(
      fieldOf(() => validateAddRobot({ virtual: true, code: 'B' })),
      'code',
    );
    assert.equal(
      fieldOf(() => validateAddRobot(null)),
      undefined,
    );
  });

  it('accepts a name of up to 64 printable characters', () => {
    assert.equal(validateRobotChange({ name: '  Küche 🐦 ' }).name, 'Küche 🐦');
    assert.equal(validateRobotChange({ name: '' }).name, '');
    assert.equal(validateRobotChange({ name: '🐦'.repeat(64) }).name, '🐦'.repeat(64));
    for (const name of ['x'.repeat(65), '🐦'.repeat(65), 'a\nb', 'a\u0000b', 5])
      assert.equal(
        fieldOf(() => validateRobotChange({ name })),
        'name',
        String(name),
      );
    assert.throws(() => validateRobotChange({}), /send at least one of name, labels, time_zone, volume_max and quiet_hours/);
    assert.equal(
      fieldOf(() => validateRobotChange({ name: 'x', other: 1 })),
      'other',
    );
  });

  it('accepts settings of a robot, and names the field that is wrong', () => {
    const quiet_hours = { from: '22:00', to: '07:00' };
    assert.deepEqual(validateRobotChange({ time_zone: 'europe/berlin', volume_max: 0, quiet_hours, labels: { room: 'r=7', empty: '' } }), {
      labels: { room: 'r=7', empty: '' },
      settings: { timeZone: 'Europe/Berlin', volumeMax: 0, quietHours: quiet_hours },
    });
    assert.deepEqual(validateRobotChange({ volume_max: null, quiet_hours: null, labels: {} }), {
      labels: {},
      settings: { volumeMax: null, quietHours: null },
    });
    const wrong: [object, string][] = [
      ...['', 'Mars/Olympus', '+01:00', '__proto__', 5, null].map((time_zone): [object, string] => [{ time_zone }, 'time_zone']),
      ...[-1, 101, 50.5, '50', true].map((volume_max): [object, string] => [{ volume_max }, 'volume_max']),
      ...['22:00-07:00', [], 5, { ...quiet_hours, days: 1 }].map((hours): [object, string] => [{ quiet_hours: hours }, 'quiet_hours']),
      [{ quiet_hours: {} }, 'quiet_hours.from'],
      ...['24:00', '7:00', '07:60', '07:00:00', ' 07:00', null].map((to): [object, string] => [
        { quiet_hours: { from: '22:00', to } },
        'quiet_hours.to',
      ]),
      [{ quiet_hours: { from: '07:00', to: '07:00' } }, 'quiet_hours.to'],
      ...[[], 'room=r7', { room: 7 }, { Room: 'r7' }, { 'a=b': 'c' }, { room: 'r;7' }, { room: ' r7' }].map((labels): [object, string] => [
        { labels },
        'labels',
      ]),
      [{ labels: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) }, 'labels'],
    ];
    for (const [body, field] of wrong)
      assert.equal(
        fieldOf(() => validateRobotChange(body)),
        field,
        JSON.stringify(body),
      );
  });

  it('accepts a new key with a name, robots without duplicates, and an expiry in the future', () => {
    assert.deepEqual(validateAddKey({ name: ' laptop ', robots: '*' }, now), { name: 'laptop', robots: '*' });
    const expires_at = '2026-01-02T00:00:00+01:00';
    assert.deepEqual(validateAddKey({ name: 'x', robots: ['r-1', 'r-1', 'r-2'], expires_at }, now), {
      name: 'x',
      robots: ['r-1', 'r-2'],
      expiresAt: Date.parse(expires_at),
    });
    assert.deepEqual(validateAddKey({ name: 'x', robots: '*', scopes: ['ask', 'read', 'ask'] }, now).scopes, ['read', 'ask']);
    const key = (change: object) => () => validateAddKey({ name: 'x', robots: '*', ...change }, now);
    assert.equal(fieldOf(key({ name: ' ' })), 'name');
    for (const robots of [[], 'all', undefined, [5]]) assert.match(fieldOf(key({ robots }))!, /^robots/, String(robots));
    for (const scopes of [[], 'read', ['admin'], ['read', 5], null, ['__proto__']])
      assert.match(fieldOf(key({ scopes }))!, /^scopes/, String(scopes));
    for (const end of ['soon', '', '2025-12-31T00:00:00Z', '2999-01-01T00:00:00Z', now])
      assert.equal(fieldOf(key({ expires_at: end })), 'expires_at', String(end));
  });

  it('accepts an overlap of secrets of whole seconds, up to seven days', () => {
    assert.deepEqual([validateRollKey({ overlap_s: 0 }), validateRollKey({ overlap_s: 604_800 })], [0, 604_800_000]);
    for (const overlap_s of [-1, 604_801, 1.5, '60', null, undefined])
      assert.equal(
        fieldOf(() => validateRollKey({ overlap_s })),
        'overlap_s',
        String(overlap_s),
      );
    assert.equal(
      fieldOf(() => validateRollKey({ overlap_s: 0, name: 'other' })),
      'name',
    );
  });
});
