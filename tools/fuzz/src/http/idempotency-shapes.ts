import fc from 'fast-check';
import type { Answer } from '../answer-problems.js';
import type { Names } from './request-shapes.js';
import { anyKey, requestOf, type Shape } from './shape.js';

const header = 'Idempotency-Key';
const visibleAscii = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');

const good = ['a', '!', '~', 'a,a', '"', '__proto__', '*', '0', visibleAscii, 'k'.repeat(255)];
const bad = ['', ' ', 'a b', 'a, a', 'a\tb', '\u00e9', '\u00ff', 'Ã©', '\u0080', '\u00f0\u009f\u00a4\u0096', 'k'.repeat(256), 'k'.repeat(9000)];

const bodies = ['{"color":"red"}', '{"effect":"off"}', '{"off":true}', '{"color":"#336699"}'];
const otherCalls: readonly (readonly [action: string, body: string])[] = [
  ['leds', '{"color":"green"}'],
  ['stop', '{}'],
  ['face', '{"emotion":"happy"}'],
];
const wrongBodies = ['{}', '[]', 'null', '{"color":7}', '{"no_such":1}', '{', `${'['.repeat(20_000)}${']'.repeat(20_000)}`];

export function idempotencyShapes({ robot, foreignRobot }: Pick<Names, 'robot' | 'foreignRobot'>): fc.Arbitrary<Shape> {
  /** In one packet, so that later calls find the first running or done. */
  const calls = (...sent: { value: string | null; body: string; action?: string }[]): Buffer[] => [
    Buffer.concat(
      sent.map(({ value, body, action = 'leds' }, i) =>
        requestOf(
          {
            path: `/v1/robots/${robot}/${action}`,
            key: anyKey,
            headers: value === null ? [] : [`${header}: ${value}`],
            goesOn: i < sent.length - 1,
          },
          body,
        ),
      ),
    ),
  ];
  const value = fc.oneof(fc.constantFrom(...good), fc.uuid(), fc.string({ unit: fc.constantFrom(...visibleAscii), minLength: 1, maxLength: 255 }));
  const body = fc.constantFrom(...bodies);
  const done = [200, 503];

  const refused = fc.tuple(fc.constantFrom(...bad), body, fc.constantFrom('leds', 'stop', 'scene', 'ask')).map(([sent, json, action]): Shape => ({
    what: `${header} ${JSON.stringify(sent.slice(0, 20))} (${sent.length}), ${action}`,
    parts: calls({ value: sent, body: json, action }),
    answers: [[400]],
    check: namesHeader,
  }));
  const twoHeaders = fc.tuple(value, value).map(([a, b]): Shape => ({
    what: `${header} twice in one request`,
    parts: calls({ value: `${a}\r\n${header}: ${b}`, body: bodies[0]! }),
    answers: [[400]],
    check: namesHeader,
  }));
  const again = fc.tuple(unique(value), body, fc.integer({ min: 2, max: 5 })).map(([sent, json, times]): Shape => ({
    what: `${times} times the same call with one ${header}`,
    parts: calls(...Array.from({ length: times }, () => ({ value: sent, body: json }))),
    answers: Array.from({ length: times }, () => done),
    check: sameAsFirst,
  }));
  const inAnyOrder = unique(value).map((sent): Shape => ({
    what: 'the same JSON in another order',
    parts: calls({ value: sent, body: '{"color":"blue","bar":0.5}' }, { value: sent, body: ' {"bar":0.5, "color":"blue"}' }),
    answers: [done, done],
    check: sameAsFirst,
  }));
  const otherCall = fc.tuple(unique(value), fc.constantFrom(...otherCalls)).map(([sent, [action, json]]): Shape => ({
    what: `one ${header} for two calls, ${action}`,
    parts: calls({ value: sent, body: bodies[0]! }, { value: sent, body: json, action }),
    answers: [
      [200, 400, 503],
      [200, 400, 503],
    ],
    check: oneOfTwo,
  }));
  const wrongCall = fc.tuple(value, fc.constantFrom(...wrongBodies)).map(([sent, json]): Shape => ({
    what: `${header} with a body that is refused`,
    parts: calls({ value: sent, body: json }),
    answers: [[400]],
  }));
  const ofReads = fc.tuple(fc.constantFrom(...bad, ...good), fc.constantFrom('state', 'events')).map(([sent, action]): Shape => ({
    what: `${header} with ${action}, which takes none`,
    parts: calls({ value: sent, body: '{}', action }),
    answers: [sent.length > 8000 ? [200, 400] : [200]],
  }));
  const ofOthers = fc.tuple(fc.constantFrom(...bad.slice(0, 4), ...good), fc.boolean()).map(([sent, keyed]): Shape => {
    const headers = [`${header}: ${sent}`];
    return {
      what: `${header} for the robot of another account, or without an API key`,
      parts: [
        requestOf(
          keyed ? { path: `/v1/robots/${foreignRobot}/leds`, key: anyKey, headers } : { path: `/v1/robots/${robot}/leds`, headers },
          bodies[0]!,
        ),
      ],
      answers: [[keyed ? 404 : 401]],
    };
  });
  return fc.oneof(refused, twoHeaders, again, inAnyOrder, otherCall, wrongCall, ofReads, ofOthers);
}

/** An API key is used more than once in a run. */
function unique(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(value, fc.uuid()).map(([text, end]) => `${text.slice(0, 255 - end.length)}${end}`);
}

function namesHeader({ status, text }: Answer): string | null {
  return status !== 400 || text.includes(`"field":"${header}"`) ? null : `400 that does not name ${header}`;
}

/** Which of two calls that arrive together begins first is not promised. */
function oneOfTwo(answer: Answer, _n: number, answers: readonly Answer[]): string | null {
  for (const status of [200, 400])
    if (answers.length === 2 && answers.every((each) => each.status === status)) return `both ${status}, with one ${header}`;
  return namesHeader(answer);
}

/** A call refused before a command was sent stores nothing, so that only executed calls are replayed. */
function sameAsFirst({ status, text, headers }: Answer, n: number, [first]: readonly Answer[]): string | null {
  if (n === 0 || first?.status !== 200) return null;
  if (status !== 200 || text !== first.text) return 'another answer than the first';
  return headers['idempotent-replayed'] === 'true' ? null : 'an answer again that does not say so';
}
