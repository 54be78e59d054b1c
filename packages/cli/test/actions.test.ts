import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { actions } from '../src/actions/actions.generated.js';
import { answeredPerch } from './answered-perch.js';

describe('perch <action>', () => {
  const at = answeredPerch();
  const { perch, sent } = at;

  it('accepts every argument of every action as a flag', async () => {
    await writeFile(join(at.folder, 'p.png'), 'picture');
    const picture = Buffer.from('picture').toString('base64');
    for (const { name, args } of actions) {
      if (name === 'state' || name === 'events' || name === 'stop') continue;
      const flags: string[] = [];
      const expected: Record<string, unknown> = {};
      for (const [arg, schema] of Object.entries(args.properties)) {
        const { type, enum: choices, items } = schema;
        const [text, value] =
          arg === 'deny'
            ? ['x', 0]
            : type === 'number' || type === 'integer'
              ? ['7', 7]
              : type === 'object'
                ? ['{"a":1}', { a: 1 }]
                : schema['contentMediaType'] === 'image/*'
                  ? [join(at.folder, 'p.png'), picture]
                  : items?.anyOf?.some((branch) => branch.type === 'number')
                    ? ['1, null,2.5', [1, null, 2.5]]
                    : type !== 'array'
                      ? [choices?.[0] ?? 'some text', choices?.[0] ?? 'some text']
                      : items?.type === 'object'
                        ? ['{"id":"a"}', [{ id: 'a' }]]
                        : ['x', ['x']];
        flags.push(`--${arg.replaceAll('_', '-')}`, ...(type === 'boolean' ? [] : [text as string]));
        expected[arg] = type === 'boolean' ? true : value;
      }
      assert.deepEqual(await sent(name, ...flags), expected, name);
    }
  });

  it('passes addresses of pictures and ids of uploads on as they are', async () => {
    const id = `p-${'0'.repeat(20)}`;
    for (const image of ['https://example.com/a.png?size=1', 'http://127.0.0.1/a.png', id])
      assert.deepEqual(await sent('show', '--image', image), { image });
    assert.deepEqual(await sent('menu', 'a', `{"image":"@${id}"}`), { items: ['a', { image: id }] });
  });

  it('uploads the bytes of a file and prints the id of the picture', async () => {
    await writeFile(join(at.folder, 'p.jpg'), 'bytes');
    at.answer = { status: 200, body: { ok: true, picture: 'p-1', w: 1, h: 1 } };
    assert.deepEqual(await perch('picture', 'upload', join(at.folder, 'p.jpg')), { code: 0, out: 'p-1\n', err: '' });
    assert.deepEqual([at.asked[0]?.path, at.asked[0]?.body, at.asked[0]?.idempotencyKey], ['/v1/pictures', 'bytes', undefined]);
    assert.equal(JSON.parse((await perch('picture', 'upload', join(at.folder, 'p.jpg'), '--json')).out).picture, 'p-1');
    assert.match((await perch('picture', 'upload', join(at.folder, 'none.jpg'))).err, /none\.jpg cannot be read \(ENOENT\)/);
  });

  it('accepts the first and the required arguments without their flags', async () => {
    assert.deepEqual(await sent('ask', 'Tea?', 'Yes', 'No', '--timeout-s', '5'), { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 5 });
    assert.deepEqual(await sent('ask', 'Tea?', 'Yes', 'No', '--overflow', 'pages', '--whole'), {
      question: 'Tea?',
      answers: ['Yes', 'No'],
      overflow: 'pages',
      whole: true,
    });
    const ask = async (...args: string[]): Promise<unknown> => ((await sent('ask', ...args)) as { deny?: unknown }).deny;
    assert.deepEqual(await ask('Ship it?', 'Ship', 'Wait', '--deny', 'Wait'), 1);
    assert.deepEqual(await ask('Ship it?', 'Ship', 'Wait', '--deny', '1'), 1);
    assert.deepEqual(await ask('How many?', '1', '0', '--deny', '0'), 1);
    assert.deepEqual(await sent('say', 'Hi'), { text: 'Hi' });
    assert.deepEqual(await sent('move', '--yaw', '-20.5'), { yaw: -20.5 });
    assert.deepEqual(await sent('command', 'brightness', '--args', '{"pct":40}'), { command: 'brightness', args: { pct: 40 } });
    assert.deepEqual(await sent('leds', '--pixels', 'red, green,#0000ff'), { pixels: ['red', 'green', '#0000ff'] });
    assert.deepEqual(await sent('show', '--sparkline', '1,,-2.5', '--sparkline', '3'), { sparkline: [1, null, -2.5, 3] });
    assert.deepEqual(await sent('show', '--countdown', '{"seconds":240}'), { countdown: { seconds: 240 } });
    assert.deepEqual(await sent('events', '12', '--names', 'tap,pat'), { after: 12, names: ['tap', 'pat'] });
    assert.deepEqual(await sent('stop'), {});
    assert.deepEqual(await sent('scene', '{"action":"say","text":"Hi"}', '{"action":"face","emotion":"happy"}'), {
      actions: [
        { action: 'say', text: 'Hi' },
        { action: 'face', emotion: 'happy' },
      ],
    });
  });

  it('accepts regions as words, tiles with pictures from files, and an Idempotency-Key', async () => {
    await writeFile(join(at.folder, 'soup.jpg'), 'soup');
    assert.deepEqual(await sent('clickmap', 'a=rect:0,0,160,240', 'b=circle:10.5,-2,3', 'c=polygon:0,0,9,0,0,9', '{"id":"d","rect":[1,2,3,4]}'), {
      regions: [
        { id: 'a', rect: [0, 0, 160, 240] },
        { id: 'b', circle: [10.5, -2, 3] },
        {
          id: 'c',
          polygon: [
            [0, 0],
            [9, 0],
            [0, 9],
          ],
        },
        { id: 'd', rect: [1, 2, 3, 4] },
      ],
    });
    const image = Buffer.from('soup').toString('base64');
    assert.deepEqual(await sent('menu', 'Salad', `{"label":"Soup","image":"@${join(at.folder, 'soup.jpg')}"}`), {
      items: ['Salad', { label: 'Soup', image }],
    });
    await sent('say', 'Hi', '--idempotency-key', 'hi-1');
    assert.equal(at.asked[0]?.idempotencyKey, 'hi-1');
  });

  for (const [args, says] of [
    [['ask'], /question is missing/],
    [['ask', 'Tea?'], /answers is missing/],
    [['ask', 'Ship it?', 'Ship', 'Wait', '--deny', 'wait'], /--deny "wait" is none of the answers: Ship \(0\), Wait \(1\)/],
    [['ask', 'Ship it?', 'Ship', 'Wait', '--deny', '2'], /--deny "2" is none of the answers: Ship \(0\), Wait \(1\)/],
    [['say', 'Hi', '--text', 'Ho'], /text is given more than once/],
    [['say', 'Hi', '--seconds', 'long'], /seconds must be a number/],
    [['face', 'bored'], /neutral, happy/],
    [['command', 'x', '--args', '{'], /args must be a JSON object, not "\{"; for example --args '\{"pct":40\}'/],
    [['show', '--countdown', '5'], /countdown must be a JSON object, not "5"; for example --countdown '\{"seconds":240,"done":"Ready"\}'/],
    [['clickmap', 'left'], /regions must be a JSON object, not "left"; see --help for examples/],
    [['scene', '[]'], /actions must be a JSON object/],
    [['show', '--image', '/no/such/file'], /cannot be read \(ENOENT\)/],
    [['show', '--colour', 'red'], /--colour/],
    [['watch', '--count', '0'], /--count must be a whole number/],
    [['say', 'Hi', '--base-url', 'nowhere'], /--base-url must be/],
  ] as const) {
    it(`names the problem of: ${args.join(' ')}`, async () => {
      const { code, out, err } = await perch(...args);
      assert.deepEqual([code, out, at.asked.length], [64, '', 0], err);
      assert.match(err, says);
    });
  }
});
