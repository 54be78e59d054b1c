import assert from 'node:assert/strict';
import { defaultMix, readMix } from '../src/mix.js';

describe('a mix file', () => {
  it('changes the fields it names and keeps the defaults of the others', () => {
    const mix = readMix(JSON.stringify({ taps_per_robot_minute: 2, thresholds: { p99_ms: 100 } }));
    assert.deepEqual(mix, { ...defaultMix, taps_per_robot_minute: 2, thresholds: { ...defaultMix.thresholds, p99_ms: 100 } });
  });

  it('replaces weights as a whole: a kind without a weight has none', () => {
    const { calls, readers } = readMix('{"calls":{"leds":1},"readers":{"poll":3,"stream":1}}');
    assert.deepEqual(
      Object.entries(calls).filter(([, weight]) => weight > 0),
      [['leds', 1]],
    );
    assert.deepEqual(readers, { poll: 3, stream: 1, webhook: 0 });
  });

  it('reads the default mix, thresholds included, as it was written', () => {
    assert.deepEqual(readMix(JSON.stringify(defaultMix)), defaultMix);
  });

  const wrong: [text: string, name: RegExp][] = [
    ['{', /is not JSON/],
    ['[]', /the file: must be an object/],
    ['{"taps":1}', /the file: unknown field taps; known: calls, /],
    ['{"calls":{"blink":1}}', /calls: unknown field blink/],
    ['{"calls":{"leds":-1}}', /calls\.leds: must be a number/],
    ['{"calls":{"leds":"1"}}', /calls\.leds/],
    ['{"calls":{}}', /calls: at least one weight/],
    ['{"readers":{"poll":0}}', /readers: at least one weight/],
    ['{"poll_seconds":61}', /poll_seconds: must be a whole number from 0 to 60/],
    ['{"poll_seconds":1.5}', /poll_seconds/],
    ['{"robots_per_account":0}', /robots_per_account/],
    ['{"new_card_share":1.1}', /new_card_share/],
    ['{"keyed_share":null}', /keyed_share/],
    ['{"answer_after_ms":500}', /answer_after_ms: must be a list of two numbers/],
    ['{"answer_after_ms":[1,"2"]}', /answer_after_ms\[1\]/],
    ['{"answer_after_ms":[2,1]}', /answer_after_ms: the first number/],
    ['{"thresholds":{"p98_ms":1}}', /thresholds: unknown field p98_ms/],
    ['{"thresholds":{"p99_ms":"1"}}', /thresholds\.p99_ms/],
  ];
  for (const [text, name] of wrong) {
    it(`rejects ${text} and names the field`, () => {
      assert.throws(() => readMix(text), name);
    });
  }
});
