import fc from 'fast-check';
import { headOf, type Shape } from './shape.js';

interface Names {
  key: string;
  robot: string;
  foreignRobot: string;
}

export function queryShapes(names: Names): fc.Arbitrary<Shape> {
  return fc.oneof(events(names), robots(names));
}

/** A 400 must name `field`, unless that is null. */
function reader(path: string, key: string): (what: string, query: string, statuses: number[], field: string | null) => Shape {
  return (what, query, statuses, field) => ({
    what,
    parts: [Buffer.from(headOf({ method: 'GET', path: `${path}?${query}`, key }), 'latin1')],
    answers: [statuses],
    check: ({ status, text }) => (status === 400 && field !== null && !text.includes(`"field":"${field}`) ? `does not name ${field}` : null),
  });
}

function robots({ key, robot, foreignRobot }: Names): fc.Arbitrary<Shape> {
  const get = reader('/v1/robots', key);
  const wrong = {
    limit: ['0', '-1', '1001', '1.5', '1e1', 'x', '', '%00', '%', '99999999999999999999'],
    online: ['yes', '1', 'TRUE', '', '%00'],
    label: [
      '',
      'x',
      '=',
      '%3D',
      'Room=1',
      'room=a%00',
      'room=a;b',
      'room=%E2%80%AE',
      `${'k'.repeat(33)}=1`,
      `room=${'v'.repeat(65)}`,
      'x'.repeat(5000),
    ],
    after: ['x', '', '%00', '*', '__proto__', 'r-', 'x'.repeat(5000)],
  };
  const refused = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => get(`${field}=${value.slice(0, 20)}`, `${field}=${value}`, [400], field)),
  );
  const served = [
    'limit=1',
    'limit=1000',
    'online=true',
    'online=false',
    `after=${robot}`,
    `after=${foreignRobot}`,
    'firmware=1.0.0',
    'firmware=%F0%9F%92%A5',
    'label=room=r7',
    'label=room%3Dr7&label=__proto__=1&label=room=r8',
    `label=${'k'.repeat(32)}=${'%F0%9F%92%A5'.repeat(64)}`,
  ];
  const ignored = ['x=1', '__proto__=1', 'limit[]=0', '&&&=&', '%', '?'];
  // A robot of another account may be given as `after`, but is never listed.
  const own = (query: string): Shape => ({
    ...get(query, query, [200], null),
    check: ({ text }) => (text.includes(foreignRobot) ? 'the robot of another account' : null),
  });
  return fc.constantFrom(
    ...refused,
    ...['limit', 'after', 'online'].map((name) => get(`${name} twice`, `${name}=1&${name}=1`, [400], name)),
    ...served.map(own),
    ...ignored.map(own),
  );
}

const numberTexts: [text: string, taken: boolean][] = [
  ['0', true],
  ['1', true],
  ['9007199254740991', true],
  ['9007199254740993', false],
  ['-1', false],
  ['0.5', false],
  ['', false],
  ['NaN', false],
  ['Infinity', false],
  ['1e3', false],
  ['0x10', false],
  ['+1', false],
  ['%00', false],
  ['1%00', false],
  ['%F0%9F%A4%96', false],
  ['99999999999999999999999999', false],
  ['null', false],
  ['[]', false],
];

function events({ key, robot }: Names): fc.Arbitrary<Shape> {
  const get = reader(`/v1/robots/${robot}/events`, key);
  const after = fc.constantFrom(...numberTexts).map(([text, taken]) => get(`after=${text}`, `after=${text}`, [taken ? 200 : 400], 'after'));
  const seconds = fc
    .constantFrom('-1', '60.1', 'x', '', '1e1', '%', '999')
    .map((text) => get(`seconds=${text}`, `seconds=${text}`, [400], 'seconds'));
  const names = fc
    .constantFrom('tap', 'tap,pat', ' tap , ', ',', 'connected,connected', '')
    .map((text) => get(`names=${text}`, `names=${encodeURIComponent(text)}`, [200], null));
  const wrongNames = fc
    .constantFrom('Tap', 'tap;pat', '__proto__', 'constructor', 'x'.repeat(5000), '\u0000', 'tap,none')
    .map((text) => get('wrong names', `names=${encodeURIComponent(text)}`, [400], 'names'));
  const twice = fc.constantFrom('after', 'seconds', 'names').map((name) => get(`${name} twice`, `${name}=0&${name}=0`, [400], name));
  const ignored = fc
    .constantFrom('x=1', '__proto__=1', 'after[]=1', '&&&=&', 'a'.repeat(6000), '%', '?', ';after=9')
    .map((query) => get('unknown parameters', query, [200], null));
  return fc.oneof(after, seconds, names, wrongNames, twice, ignored);
}
