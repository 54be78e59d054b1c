import assert from 'node:assert/strict';
import { ApiError, validateAddKey, validateAddRobot, validateRename } from '../src/index.js';

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
    assert.equal(validateRename({ name: '  Küche 🐦 ' }), 'Küche 🐦');
    assert.equal(validateRename({ name: '' }), '');
    assert.equal(validateRename({ name: '🐦'.repeat(64) }), '🐦'.repeat(64));
    for (const name of ['x'.repeat(65), '🐦'.repeat(65), 'a\nb', 'a\u0000b', 5])
      assert.equal(
        fieldOf(() => validateRename({ name })),
        'name',
        String(name),
      );
    assert.equal(
      fieldOf(() => validateRename({})),
      'name',
    );
    assert.equal(
      fieldOf(() => validateRename({ name: 'x', other: 1 })),
      'other',
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
});
