import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cardScene, type CardArgs, type QrBox, type SparklineBox } from '../src/index.js';

function qrOf(args: CardArgs): QrBox {
  const box = cardScene(args).boxes.find(({ kind }) => kind === 'qr');
  assert.ok(box?.kind === 'qr');
  return box;
}

function valuesOf(sparkline: (number | null)[]): SparklineBox['values'] {
  const box = cardScene({ sparkline }).boxes.find(({ kind }) => kind === 'sparkline');
  assert.ok(box?.kind === 'sparkline');
  return box.values;
}

describe('QR codes on cards', () => {
  it('gives QR codes modules of 3 px or more and a quiet zone of 4 modules, up to their greatest length, in every combination', () => {
    const parts = fc.subarray(['title', 'text', 'note', 'icon'] as const);
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 331 }), fc.constantFrom('a', 'é', '7', '日', '\u0000'), (names, length, letter) => {
        const bytesMax = Math.min(length, names.length === 0 ? 331 : 106);
        const qr = letter.repeat(Math.max(1, Math.floor(bytesMax / new TextEncoder().encode(letter).length)));
        const { rows, module, w, h } = qrOf({ qr, ...Object.fromEntries(names.map((name) => [name, name === 'icon' ? 'x' : 'Some words'])) });
        assert.ok(module >= 3);
        assert.equal(w, (rows.length + 8) * module);
        assert.equal(h, w);
        assert.ok(rows.every((row) => row.length === rows.length && /^[01]+$/.test(row)));
      }),
      { numRuns: 300 },
    );
  });

  it('leaves room for a text at the right of a QR code', () => {
    const { boxes } = cardScene({ qr: 'https://example.com', text: 'Scan me' });
    const [code, text] = [boxes.find(({ kind }) => kind === 'qr'), boxes.find(({ kind }) => kind === 'text')];
    assert.ok(code && text && code.x + code.w < text.x && text.w >= 112);
  });
});

describe('sparklines on cards', () => {
  it('scales a sparkline from the lowest number to the highest', () => {
    assert.deepEqual(valuesOf([10, 20, 15, null, 10]), [0, 1, 0.5, null, 0]);
    assert.deepEqual(valuesOf([-1e308, 1e308]), [0, 1]);
  });

  it('puts a sparkline of equal numbers at half height', () => {
    assert.deepEqual(valuesOf([3, 3, null]), [0.5, 0.5, null]);
  });

  it('scales any numbers to values from 0 to 1', () => {
    const numbers = fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 2, maxLength: 300 });
    fc.assert(
      fc.property(numbers, (all) => {
        fc.pre(all.some((each) => each !== null));
        const values = valuesOf(all);
        assert.ok(values.every((value, i) => (value === null ? all[i] === null : value >= 0 && value <= 1)));
      }),
      { numRuns: 1000 },
    );
  });
});
