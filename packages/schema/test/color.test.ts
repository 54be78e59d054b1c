import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ApiError, colorNames, colorPattern, parseColor } from '../src/index.js';

const byte = fc.integer({ min: 0, max: 255 });
const hex = (...bytes: number[]) => `#${bytes.map((each) => each.toString(16).padStart(2, '0')).join('')}`;

describe('colours', () => {
  it('reads any #rrggbb in upper or lower case as lower case', () => {
    fc.assert(
      fc.property(byte, byte, byte, fc.boolean(), (red, green, blue, upper) => {
        const text = hex(red, green, blue);
        assert.equal(parseColor(upper ? text.toUpperCase() : text), text);
      }),
    );
  });

  it('has exactly the colour names of the interface', () => {
    assert.deepEqual(Object.keys(colorNames), ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink', 'white']);
    for (const [name, value] of Object.entries(colorNames)) {
      assert.equal(parseColor(name), value);
      assert.match(value, /^#[0-9a-f]{6}$/);
    }
  });

  it('matches the published pattern exactly for colours that can be read', () => {
    const pattern = new RegExp(colorPattern, 'u');
    const nearly = fc.oneof(
      fc.string(),
      fc.stringMatching(/^#?[0-9a-gA-G]{5,7}$/),
      fc.constantFrom('red', 'Red', 'red ', 'toString', '__proto__', '#fff', '#ffffff\n'),
    );
    fc.assert(
      fc.property(nearly, (text) => {
        let read = true;
        try {
          parseColor(text);
        } catch (error) {
          assert.ok(error instanceof ApiError && error.status === 400);
          read = false;
        }
        assert.equal(read, pattern.test(text));
      }),
      { numRuns: 500 },
    );
  });
});
