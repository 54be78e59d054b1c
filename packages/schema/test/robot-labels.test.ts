import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hasLabels,
  labelPattern,
  labelProblem,
  labelsOf,
  labelsText,
  limits,
  readLabels,
  robotsQueryNames,
  validateRobotListTool,
  validateRobotsQuery,
  type Labels,
} from '../src/index.js';

const { labelsMax, labelKeyCharsMax, labelValueCharsMax } = limits.robots;

describe('labels of robots', () => {
  const right = [
    'room=r7',
    'a=',
    'note=a b',
    'note=a=b',
    `${'k'.repeat(labelKeyCharsMax)}=${'v'.repeat(labelValueCharsMax)}`,
    '__proto__=1',
    '-=-',
    `e=${'🤖'.repeat(64)}`,
  ];
  const wrong = [
    '',
    'room',
    '=r7',
    'Room=r7',
    'ro om=1',
    'rööm=1',
    `${'k'.repeat(33)}=1`,
    `a=${'v'.repeat(65)}`,
    `e=${'🤖'.repeat(65)}`,
    'a= b',
    'a=b ',
    'a=b;c',
    'a=\n',
    'a=\u202e',
    'a=\u0000',
  ];

  it('gives the same result with the JSON Schema pattern and with labelProblem', () => {
    const pattern = new RegExp(labelPattern, 'u');
    for (const label of right) assert.deepEqual([labelProblem(label), pattern.test(label)], [null, true], label);
    for (const label of wrong) assert.deepEqual([typeof labelProblem(label), pattern.test(label)], ['string', false], JSON.stringify(label));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (key, value) => {
        const label = `${key}=${value}`;
        assert.equal(labelProblem(label) === null, pattern.test(label), JSON.stringify(label));
      }),
    );
  });

  it('reads labels with surrounding blanks, and restores stored labels', () => {
    assert.deepEqual(readLabels(' room=r1 ;floor=2; '), { labels: { room: 'r1', floor: '2' } });
    assert.deepEqual(readLabels('  '), { labels: {} });
    assert.deepEqual(readLabels('problem=none'), { labels: { problem: 'none' } });
    assert.equal(labelsText({ room: 'r1', floor: '2', a: '' }), 'a=;floor=2;room=r1');
    assert.deepEqual(labelsOf('a=;floor=2;note=x=y'), { a: '', floor: '2', note: 'x=y' });
    const { labels } = readLabels('__proto__=1') as { labels: Labels };
    assert.equal(labelsText(labels), '__proto__=1');
  });

  it('rejects a text with the wrong label and the reason', () => {
    const problemOf = (text: string): string => (readLabels(text) as { problem: string }).problem;
    assert.match(problemOf('room=r1;floor'), /^"floor": must be key=value/);
    assert.match(problemOf('room=r1;room=r2'), /^"room=r2": the key room is given more than once$/);
    assert.match(problemOf('a=1;;b=2'), /^"": /);
    assert.match(problemOf(Array.from({ length: labelsMax + 1 }, (_, i) => `k${i}=1`).join(';')), /at most 16 labels/);
    assert.match(problemOf(`a=${'x'.repeat(100_000)}`), /^"a=x{38}\.\.\.": a value has at most 64 characters$/);
  });

  it('matches only whole keys and values', () => {
    const stored = 'floor=2;room=r1;xroom=r10';
    for (const [labels, has] of [
      [['room=r1'], true],
      [['room=r1', 'floor=2'], true],
      [['room=r'], false],
      [['oom=r1'], false],
      [['room=r10'], false],
      [['xroom=r10'], true],
      [[], true],
    ] as const)
      assert.equal(hasLabels(stored, labels), has, labels.join());
    assert.equal(hasLabels('', ['a=']), false);
  });

  it('filters the list of robots, in a query and in the tool', () => {
    assert.equal((robotsQueryNames as readonly string[]).includes('label'), false);
    assert.deepEqual(validateRobotsQuery({ limit: '5' }, ['room=r7', 'a=']), { limit: 5, label: ['room=r7', 'a='] });
    assert.deepEqual(validateRobotListTool({ label: ['room=r7'] }).label, ['room=r7']);
    for (const label of [['room'], [7], 'room=r7', Array.from({ length: 17 }, (_, i) => `k${i}=1`)])
      assert.throws(() => validateRobotListTool({ label }), { code: 'bad_argument', field: 'label' });
  });
});
