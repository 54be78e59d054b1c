import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { Form } from '../../src/console/route.js';

describe('a form', () => {
  const fieldOf = (body: unknown): string | undefined => {
    try {
      new Form(body, ['email']);
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'bad_argument');
      return error.field;
    }
    return assert.fail('it was taken');
  };

  it('rejects an unknown field with its name, truncated to 40 characters', () => {
    assert.equal(fieldOf({ email: 'a', role: 'admin' }), 'role');
    assert.equal(fieldOf({ email: 'a', '': 1 }), '""');
    assert.equal(fieldOf({ ['x'.repeat(5000)]: 1 }), `${'x'.repeat(40)}...`);
    assert.equal(fieldOf(JSON.parse('{"__proto__":1}')), '__proto__');
    assert.equal(fieldOf([]), undefined);
  });

  it('rejects an e-mail address with control characters or text-direction characters, naming the field', () => {
    for (const character of ['\x1b', '\x7f', '\x9b', '\u202e', '\u2066']) {
      assert.throws(
        () => new Form({ email: `ada${character}@example.org` }, ['email']).email('email'),
        (error) => error instanceof ApiError && error.code === 'bad_argument' && error.field === 'email',
      );
    }
  });
});
