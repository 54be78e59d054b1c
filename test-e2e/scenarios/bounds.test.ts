import assert from 'node:assert/strict';
import { crc32 } from '@perch/virtual-robot';
import { meanwhile } from '../fixture/meanwhile.js';
import { halves, picture } from '../fixture/pictures.js';
import type { CheckedApi } from '../fixture/published.js';
import { checkedApi, onSharedStages } from '../fixture/shared-stage.js';
import type { Tenant } from '../fixture/stage.js';

type Args = Record<string, unknown>;

interface Bound {
  action: string;
  /** Taken. */
  inside: Args[];
  /** Refused, each with the argument that the error names. */
  outside: [args: Args, field: string | undefined][];
}

const base64Max = 1_600_000;
const one = (color = '#336699') => halves(2, 2, color, color);
const all = [0, 0, 320, 240];
const region = (shape: Args): Args => ({ regions: [{ id: 'r', ...shape }], timeout_s: 0.02 });
const polygon = (points: number) => region({ polygon: Array.from({ length: points }, (_, i) => [i, i * i]) });
const deep = (levels: number): Args => (levels === 1 ? {} : { a: deep(levels - 1) });
const items = (count: number) => ({ items: Array.from({ length: count }, (_, i) => `item ${i}`), timeout_s: 0.02 });
const answers = (count: number) => ({ question: 'Q', answers: Array.from({ length: count }, (_, i) => `answer ${i}`), timeout_s: 0.02 });
const notColors = ['#abc', '#12345g', '123456', 'Red', 'black', '', '#12345678', ' red'];

const bounds: Bound[] = [
  {
    action: 'show',
    inside: [
      { progress: 0 },
      { progress: 1 },
      { text: '' },
      { title: 'x'.repeat(5000) },
      { text: 'x', color: '#ABCdef' },
      ...['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink', 'white'].map((background) => ({ background })),
    ],
    outside: [
      [{}, undefined],
      [{ clear: false }, undefined],
      [{ color: 'red' }, 'color'],
      [{ clear: true, text: 'x' }, 'clear'],
      [{ progress: -0.001 }, 'progress'],
      [{ progress: 1.001 }, 'progress'],
      [{ progress: '0.5' }, 'progress'],
      [{ text: 7 }, 'text'],
      [{ text: null }, 'text'],
      [{ title: ['x'] }, 'title'],
      [{ note: {} }, 'note'],
      [{ clear: 'true' }, 'clear'],
      [{ text: 'x', size: 3 }, 'size'],
      [{ Text: 'x' }, 'Text'],
      ...notColors.map((color): [Args, string] => [{ text: 'x', color }, 'color']),
      ...notColors.map((background): [Args, string] => [{ background }, 'background']),
    ],
  },
  {
    action: 'show',
    inside: [
      { image: one() },
      { image: padded(base64Max) },
      { image: halves(4096, 1, '#ff0000', '#00ff00') },
      { image: halves(4, 4096, '#ff0000', '#00ff00', 'jpeg') },
      { image: urlSafe(one()) },
      { image: one().replace(/=+$/, '') },
      { image: ` data:image/png;base64,${one().replace(/(.{20})/g, '$1\r\n')}` },
    ],
    outside: [
      [{ image: padded(base64Max + 4) }, 'image'],
      [{ image: halves(4097, 1, '#ff0000', '#00ff00') }, 'image'],
      [{ image: halves(2, 4097, '#ff0000', '#00ff00', 'jpeg') }, 'image'],
      [{ image: '' }, 'image'],
      [{ image: 'not base64!' }, 'image'],
      [{ image: 'AAAA' }, 'image'],
      [{ image: 7 }, 'image'],
    ],
  },
  {
    action: 'say',
    inside: [{ text: 'x' }, { text: 'x'.repeat(80) }, { text: '🤖'.repeat(80) }, { text: 'x', seconds: 0.01 }, { text: 'x', seconds: 30 }],
    outside: [
      [{}, 'text'],
      [{ seconds: 3 }, 'text'],
      [{ text: '' }, 'text'],
      [{ text: 'x'.repeat(81) }, 'text'],
      [{ text: '🤖'.repeat(81) }, 'text'],
      [{ text: ['x'] }, 'text'],
      [{ text: 'x', seconds: 0 }, 'seconds'],
      [{ text: 'x', seconds: 30.01 }, 'seconds'],
      [{ text: 'x', seconds: '3' }, 'seconds'],
      [{ text: 'x', seconds: null }, 'seconds'],
      [{ text: 'x', loud: true }, 'loud'],
    ],
  },
  {
    action: 'face',
    inside: [{ emotion: 'doubt' }, { view: 'readings' }, { emotion: 'neutral', view: 'face' }],
    outside: [
      [{}, undefined],
      [{ emotion: 'Happy' }, 'emotion'],
      [{ emotion: '' }, 'emotion'],
      [{ emotion: null }, 'emotion'],
      [{ view: 'camera' }, 'view'],
      [{ emotion: 'sad', mood: 1 }, 'mood'],
    ],
  },
  {
    action: 'move',
    inside: [{ yaw: -128 }, { yaw: 128 }, { pitch: 5 }, { pitch: 85 }, { pitch: -1000 }, { yaw: 0, pitch: 1e300 }, { gesture: 'home' }],
    outside: [
      [{}, undefined],
      [{ yaw: -128.01 }, 'yaw'],
      [{ yaw: 128.01 }, 'yaw'],
      [{ yaw: '0' }, 'yaw'],
      [{ pitch: 'up' }, 'pitch'],
      [{ gesture: 'dance' }, 'gesture'],
      [{ gesture: 'nod', yaw: 1 }, 'gesture'],
      [{ gesture: 'nod', pitch: 1 }, 'gesture'],
      [{ roll: 1 }, 'roll'],
    ],
  },
  {
    action: 'leds',
    inside: [
      { bar: 0 },
      { bar: 1 },
      { pixels: Array.from({ length: 12 }, () => 'red') },
      { effect: 'blink', speed: 0.2, seconds: 0 },
      { effect: 'blink', speed: 5, seconds: 0.1 },
      { off: true },
      { color: 'red', off: false },
    ],
    outside: [
      [{}, undefined],
      [{ off: false }, undefined],
      [{ bar: -0.01 }, 'bar'],
      [{ bar: 1.01 }, 'bar'],
      [{ pixels: Array.from({ length: 11 }, () => 'red') }, 'pixels'],
      [{ pixels: Array.from({ length: 13 }, () => 'red') }, 'pixels'],
      [{ pixels: Array.from({ length: 12 }, (_, i) => (i === 7 ? 'no' : 'red')) }, 'pixels[7]'],
      [{ pixels: 'red' }, 'pixels'],
      [{ effect: 'disco' }, 'effect'],
      [{ effect: 'blink', speed: 0.19 }, 'speed'],
      [{ effect: 'blink', speed: 5.01 }, 'speed'],
      [{ effect: 'blink', seconds: -0.1 }, 'seconds'],
      [{ color: 'red', speed: 1 }, 'speed'],
      [{ color: 'red', seconds: 1 }, 'seconds'],
      [{ pixels: Array.from({ length: 12 }, () => 'red'), bar: 1 }, 'pixels'],
      [{ off: true, color: 'red' }, 'off'],
      ...notColors.map((color): [Args, string] => [{ color }, 'color']),
    ],
  },
  {
    action: 'sound',
    inside: [
      { volume: 0 },
      { volume: 100 },
      { notes: 'C0:1' },
      { notes: 'b8:50 -:1' },
      { notes: 'C4:29999 -:1' },
      { chime: 'no' },
      { chime: 'yes', bell: false },
      { notes: ' Eb3:10\n\tF#3:10 ' },
    ],
    outside: [
      [{}, undefined],
      [{ bell: false }, undefined],
      [{ volume: -0.01 }, 'volume'],
      [{ volume: 100.01 }, 'volume'],
      [{ volume: '5' }, 'volume'],
      [{ chime: 'ring' }, 'chime'],
      [{ chime: 'yes', notes: 'C4:1' }, 'chime'],
      [{ chime: 'yes', bell: true }, 'bell'],
      ...[
        '',
        ' ',
        'C4',
        'C4:',
        ':100',
        'C4:0',
        'C4:-5',
        'C4:1.5',
        'C4:1e2',
        'H4:100',
        'C9:100',
        'C-1:100',
        'C##4:100',
        'C4:30001',
        'C4:30000 C4:1',
        'C4:100,E4:100',
        'C4 :100',
        'Ç4:100',
      ].map((notes): [Args, string] => [{ notes }, 'notes']),
    ],
  },
  {
    action: 'ask',
    inside: [answers(2), answers(4), { ...answers(2), question: 'x'.repeat(500) }, { ...answers(2), answers: ['same', 'same'] }],
    outside: [
      [{}, 'question'],
      [{ question: 'Q' }, 'answers'],
      [{ question: '', answers: ['a', 'b'] }, 'question'],
      [answers(1), 'answers'],
      [answers(5), 'answers'],
      [{ question: 'Q', answers: ['a', ''] }, 'answers[1]'],
      [{ question: 'Q', answers: ['a', 1] }, 'answers[1]'],
      [{ question: 'Q', answers: 'ab' }, 'answers'],
      [{ ...answers(2), timeout_s: 0 }, 'timeout_s'],
      [{ ...answers(2), timeout_s: 120.01 }, 'timeout_s'],
      [{ ...answers(2), timeout: 5 }, 'timeout'],
    ],
  },
  {
    action: 'menu',
    inside: [
      items(2),
      items(6),
      { ...items(2), title: '' },
      { ...items(2), items: ['a', { label: 'b' }] },
      { ...items(2), items: [{ image: one() }, { id: 'i', image: one() }] },
    ],
    outside: [
      [{}, 'items'],
      [items(1), 'items'],
      [items(7), 'items'],
      [{ items: ['a', ''] }, 'items[1]'],
      [{ items: ['a', {}] }, 'items[1]'],
      [{ items: ['a', { id: 'only' }] }, 'items[1]'],
      [{ items: ['a', { label: 'b', icon: 'x' }] }, 'items[1].icon'],
      [{ items: ['a', { label: '' }] }, 'items[1].label'],
      [{ items: ['a', 7] }, 'items[1]'],
      [{ items: ['a', { label: 'b', image: 'AAAA' }] }, 'items[1].image'],
      [
        {
          items: [
            { label: 'a', image: one() },
            { label: 'b', image: padded(base64Max + 4) },
          ],
        },
        'items[1].image',
      ],
      [{ ...items(2), timeout_s: 0 }, 'timeout_s'],
      [{ ...items(2), timeout_s: 121 }, 'timeout_s'],
    ],
  },
  {
    action: 'clickmap',
    inside: [
      region({ rect: [0, 0, 0.5, 0.5] }),
      region({ circle: [-10, 500, 0.1] }),
      polygon(3),
      polygon(32),
      { regions: Array.from({ length: 32 }, () => ({ id: 'same', rect: all })), timeout_s: 0.02 },
    ],
    outside: [
      [{}, 'regions'],
      [{ regions: [] }, 'regions'],
      [{ regions: Array.from({ length: 33 }, () => ({ id: 'r', rect: all })) }, 'regions'],
      [polygon(2), 'regions[0].polygon'],
      [polygon(33), 'regions[0].polygon'],
      [region({ rect: [0, 0, 10] }), 'regions[0].rect'],
      [region({ rect: [0, 0, 10, 10, 10] }), 'regions[0].rect'],
      [region({ rect: [0, 0, 0, 10] }), 'regions[0].rect[2]'],
      [region({ rect: [0, 0, 10, -1] }), 'regions[0].rect[3]'],
      [region({ rect: [0, 0, '10', 10] }), 'regions[0].rect[2]'],
      [region({ circle: [0, 0, 0] }), 'regions[0].circle[2]'],
      [region({ circle: [0, 0] }), 'regions[0].circle'],
      [region({ polygon: [[0, 0], [1, 1], [2]] }), 'regions[0].polygon[2]'],
      [region({ rect: all, circle: [1, 1, 1] }), 'regions[0]'],
      [region({}), 'regions[0]'],
      [region({ rect: all, color: 'red' }), 'regions[0].color'],
      [{ regions: [{ rect: all }] }, 'regions[0].id'],
      [{ regions: [{ id: '', rect: all }] }, 'regions[0].id'],
      [{ regions: [null] }, 'regions[0]'],
      [{ ...region({ rect: all }), timeout_s: -1 }, 'timeout_s'],
      [{ ...region({ rect: all }), timeout_s: 120.5 }, 'timeout_s'],
      [{ ...region({ rect: all }), image: 'AAAA' }, 'image'],
    ],
  },
  {
    action: 'command',
    inside: [
      { command: 'brightness', args: { pct: 0 } },
      { command: 'brightness', args: { pct: 100 } },
      { command: 'sticker', args: { id: 'x'.repeat(32) } },
      { command: 'anything', args: deep(16) },
      { command: 'anything', args: { list: Array.from({ length: 1999 }, () => 0) } },
    ],
    outside: [
      [{}, 'command'],
      [{ command: '' }, 'command'],
      [{ command: 'x'.repeat(65) }, 'command'],
      [{ command: 7 }, 'command'],
      [{ command: 'brightness' }, 'args.pct'],
      [{ command: 'brightness', args: { pct: -1 } }, 'args.pct'],
      [{ command: 'brightness', args: { pct: 101 } }, 'args.pct'],
      [{ command: 'brightness', args: { pct: 1.5 } }, 'args.pct'],
      [{ command: 'brightness', args: { pct: 1, more: 1 } }, 'args.more'],
      [{ command: 'brightness', args: [1] }, 'args'],
      [{ command: 'brightness', args: null }, 'args'],
      [{ command: 'anything', args: deep(17) }, 'args'],
      [{ command: 'anything', args: { list: Array.from({ length: 2000 }, () => 0) } }, 'args'],
      [{ command: 'sticker', args: { id: 'x'.repeat(33) } }, 'args.id'],
      [{ command: 'sticker', args: { id: 's', image: 'AAAA' } }, 'args.image'],
      [{ command: 'sticker', args: { id: 's', image: padded(base64Max + 4) } }, 'args.image'],
      [{ command: 'brightness', arg: { pct: 1 } }, 'arg'],
    ],
  },
  {
    action: 'events',
    inside: [
      {},
      { after: Number.MAX_SAFE_INTEGER, seconds: 60 },
      { seconds: 60 },
      { names: ['tap', 'connected'] },
      { names: [] },
      { unknown: 'is ignored' },
    ],
    outside: [
      [{ after: -1 }, 'after'],
      [{ after: 1.5 }, 'after'],
      [{ after: 2 ** 53 }, 'after'],
      [{ after: '1' }, 'after'],
      [{ seconds: -0.1 }, 'seconds'],
      [{ seconds: 60.01 }, 'seconds'],
      [{ seconds: true }, 'seconds'],
      [{ names: ['tap', 'Tap'] }, 'names[1]'],
      [{ names: 'tap' }, 'names'],
      [{ names: [1] }, 'names[0]'],
    ],
  },
  { action: 'state', inside: [{}, { unknown: 'is ignored' }], outside: [] },
];

const queries: { inside: string[]; outside: [query: string, field: string][] } = {
  inside: [
    '',
    '?',
    '?after=0',
    '?after=9007199254740991&seconds=60',
    '?seconds=60',
    '?seconds=0.0',
    '?names=tap',
    '?names=tap,connected',
    '?names=',
    '?unknown=is&unknown=ignored',
    '?after=0&names=connected%2Ctap',
  ],
  outside: [
    ['?after=-1', 'after'],
    ['?after=1.5', 'after'],
    ['?after=NaN', 'after'],
    ['?after=Infinity', 'after'],
    ['?after=1e3', 'after'],
    ['?after=0x10', 'after'],
    ['?after=', 'after'],
    ['?after=+1', 'after'],
    ['?after=9007199254740992', 'after'],
    ['?after=99999999999999999999999', 'after'],
    ['?after=1&after=2', 'after'],
    ['?seconds=60.001', 'seconds'],
    ['?seconds=-1', 'seconds'],
    ['?seconds=NaN', 'seconds'],
    ['?seconds=abc', 'seconds'],
    ['?seconds=1&seconds=1', 'seconds'],
    ['?names=Tap', 'names[0]'],
    ['?names=tap,what', 'names[1]'],
    ['?names=tap&names=pat', 'names'],
    ['?names=__proto__', 'names[0]'],
    ['?after=%00', 'after'],
    ['?names=%ff', 'names[0]'],
  ],
};

onSharedStages('bounds', (stage) => {
  /** A bucket lasts for 30 calls: a new key now and then, on one gateway and the other. */
  async function keyRing(tenant: Tenant): Promise<() => Promise<CheckedApi>> {
    let used = 0;
    let api = await checkedApi(tenant);
    return async () => {
      used++;
      if (used % 25 === 0) api = await checkedApi(tenant, used / 25, (await stage().store.apiKeys.create({ account: tenant.account })).apiKey);
      return api;
    };
  }

  for (const { action, inside, outside } of bounds) {
    it(`${action}: one step inside is done, one outside is 400 and names the argument (${Object.keys(inside[0]!).join(', ') || 'nothing'} ...)`, async () => {
      const tenant = await stage().tenant();
      const { id, robot } = await tenant.robot({ commands: [...(await ownCommands())] });
      const next = await keyRing(tenant);
      for (const args of inside) {
        if (action === 'say') await (await next()).act(id, 'show', { clear: true });
        const { status, body } = await (await next()).act(id, action, args);
        assert.equal(status, 200, `${shortened(args)} -> ${JSON.stringify(body)}`);
      }
      // The last question may still be on its way out.
      await robot.until((r) => r.screen.question === null);
      const before = robot.commands.length;
      for (const [args, field] of outside) {
        const { status, body } = await (await next()).act(id, action, args);
        assert.deepEqual([status, body.field], [400, field], `${shortened(args)} -> ${JSON.stringify(body)}`);
        if (field !== undefined) assert.ok(body.error.startsWith(field.replace(/\[\d+\]$/, '')), `${field}: ${body.error}`);
      }
      assert.equal(robot.commands.length, before, 'what is refused does not reach the robot');
      assert.deepEqual(robot.violations, []);
    });
  }

  it('seconds and timeout_s may be any fraction above 0', async () => {
    const tenant = await stage().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    for (const seconds of [0.07, 1 / 30, 0.0123456789, 1e-9, Number.MIN_VALUE]) {
      const { body } = await api.act(id, 'ask', { question: 'Q', answers: ['a', 'b'], timeout_s: seconds });
      assert.equal(body.outcome, 'timed_out', `${seconds}: ${JSON.stringify(body)}`);
      assert.equal((await api.act(id, 'clickmap', { regions: [{ id: 'r', rect: all }], timeout_s: seconds })).body.outcome, 'timed_out');
      assert.equal((await api.act(id, 'say', { text: 'x', seconds })).status, 200);
      assert.equal((await api.act(id, 'leds', { effect: 'blink', seconds })).status, 200);
      assert.equal((await api.act(id, 'events', { seconds, after: 1 })).status, 200);
    }
    assert.deepEqual(robot.violations, []);
  });

  it('timeout_s of 120 s is taken, and 30 s is what an ask without it gets', async () => {
    const tenant = await stage().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    for (const [action, args] of [
      ['ask', { question: 'Q', answers: ['a', 'b'] }],
      ['menu', { items: ['a', 'b'] }],
      ['clickmap', { regions: [{ id: 'r', rect: all }] }],
    ] as const) {
      for (const timeout of [{ timeout_s: 120 }, {}]) {
        const call = api.act(id, action, { ...args, ...timeout });
        const { status, body } = await meanwhile(call, () => robot.tap(60, 170, { heldMs: 20 }));
        assert.deepEqual([status, body.outcome], [200, 'answered']);
      }
    }
  });

  it('events by GET: one step inside is answered, one outside is 400 and names the argument', async () => {
    const tenant = await stage().tenant();
    const { id } = await tenant.robot();
    const next = await keyRing(tenant);
    for (const query of queries.inside) assert.equal((await (await next()).get(`/v1/robots/${id}/events${query}`)).status, 200, query);
    for (const [query, field] of queries.outside) {
      const { status, body } = await (await next()).get(`/v1/robots/${id}/events${query}`);
      assert.deepEqual([status, body.field], [400, field], `${query}: ${JSON.stringify(body)}`);
    }
  });

  it('a picture of 4096 by 4096 pixels is shown; a robot gets no more bytes than it takes', async () => {
    const tenant = await stage().tenant();
    const { id, robot } = await tenant.robot({ screen: { formats: ['jpeg'], max_bytes: 20_000 } });
    const api = await checkedApi(tenant);
    assert.equal((await api.act(id, 'show', { image: halves(4096, 4096, '#ff0000', '#0000ff') })).status, 200);
    const noise = picture(320, 240, (context) => {
      for (let i = 0; i < 20_000; i++) {
        context.fillStyle = `hsl(${(i * 137) % 360} 100% 50%)`;
        context.fillRect((i * 7919) % 320, (i * 104_729) % 240, 3, 3);
      }
    });
    assert.equal((await api.act(id, 'show', { image: noise })).status, 200);
    assert.ok(robot.screen.card!.bytes <= 20_000 && robot.screen.card!.format === 'jpeg');
    assert.deepEqual(robot.violations, []);
  });
});

/** A PNG of exactly so many characters of base64: what is missing stands in a chunk that nobody reads. */
function padded(base64Length: number): string {
  const small = Buffer.from(one(), 'base64');
  const end = small.length - 12;
  const size = (base64Length * 3) / 4 - small.length - 12;
  const chunk = Buffer.alloc(12 + size, 7);
  chunk.writeUInt32BE(size, 0);
  chunk.write('prVt', 4, 'latin1');
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + size)), 8 + size);
  return Buffer.concat([small.subarray(0, end), chunk, small.subarray(end)]).toString('base64');
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

async function ownCommands() {
  const { defaultCommands } = await import('@perch/virtual-robot');
  return [...defaultCommands, { name: 'anything', description: 'Takes all', class: 'program', args: { type: 'object' } }];
}

function shortened(args: Args): string {
  return JSON.stringify(args).slice(0, 200);
}
