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

  it('names the right spelling where a colour is written as elsewhere', () => {
    for (const [text, meant] of [
      ['#f00', '#ff0000'],
      ['#F00F', '#ff0000'],
      ['f0a', '#ff00aa'],
      ['00FF00', '#00ff00'],
      ['0x00ff00', '#00ff00'],
      ['#00ff0080', '#00ff00'],
      ['Red', 'red'],
      [' BLUE ', 'blue'],
      ['black', '#000000'],
      ['rgb(255,0,0)', '#ff0000'],
      ['RGB(255 128 0 / 50%)', '#ff8000'],
      ['rgba(0, 20%, 100%, 0.5)', '#0033ff'],
    ] as const) {
      assert.throws(
        () => parseColor(text),
        ({ status, message }: ApiError) => {
          assert.equal(status, 400);
          assert.ok(message.startsWith(`${JSON.stringify(text)} is not a colour; write ${meant} (#rrggbb or one of red, `), message);
          return true;
        },
      );
      assert.match(meant, new RegExp(colorPattern, 'u'));
    }
  });

  it('names the forms alone where it is unknown which colour is meant', () => {
    for (const text of [
      '',
      'blurple',
      '#ff',
      '#12345',
      '#1234567',
      '#gggggg',
      'rgb(256,0,0)',
      'rgb(1,2)',
      'hsl(0,1,1)',
      'toString',
      '__proto__',
      `#${'f'.repeat(41)}`,
    ])
      assert.throws(() => parseColor(text), /is not a colour; write #rrggbb or one of red, /);
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
