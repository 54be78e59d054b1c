import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { runProgram } from '@perch/cli';
import { isPlainText } from '@perch/schema';
import { freePort } from '@perch/testkit';
import { actionExamples } from '../src/actions/action-examples.js';
import { actions } from '../src/actions/actions.generated.js';
import { configFile } from '../src/settings.js';

type Environment = Record<string, string | undefined>;

const state = {
  ok: true,
  id: 'r-1',
  name: 'r-1',
  online: true,
  model: 'm',
  firmware: '1',
  commands: [{ name: 'brightness' }, { name: 'ir_send' }],
  readings: { battery_pct: 81 },
  readings_at: '2026-01-01T12:00:00.000Z',
  showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
  events: [{ seq: 7, name: 'tap', data: { x: 160, y: 120 }, at: '2026-01-01T11:59:58.250Z' }],
  last_seq: 7,
};

describe('perch <action>', () => {
  let server: Server;
  let folder: string;
  let environment: Environment;
  let asked: { path: string; key: string | undefined; body: unknown; idempotencyKey: string | string[] | undefined }[] = [];
  let answer: { status: number; body: object } = { status: 200, body: {} };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-cli-'));
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const { url, headers } = request;
        asked.push({
          path: url!,
          key: headers.authorization,
          body: text === '' ? null : headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
          idempotencyKey: headers['idempotency-key'],
        });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = [];
    answer = { status: 200, body: { ok: true, results: [], events: [] } };
    const { port } = server.address() as AddressInfo;
    environment = { HOME: folder, PERCH_BASE_URL: `http://127.0.0.1:${port}`, PERCH_API_KEY: 'pk_test', PERCH_ROBOT: 'r-1' };
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  async function perch(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const code = await runProgram(args, { environment, out: (text) => (out += text), err: (text) => (err += text) });
    return { code, out, err };
  }

  async function sent(...args: string[]): Promise<unknown> {
    asked = [];
    const { code, err } = await perch(...args);
    assert.equal(code, 0, err);
    assert.equal(asked[0]?.path, `/v1/robots/r-1/${args[0]}`);
    return asked[0]?.body;
  }

  it('warns on standard error of what the person does not see as it was sent, and prints the result alone', async () => {
    answer.body = { ok: true, outcome: 'answered', answer: 'Yes', index: 0, truncated: ['question', 'answers[1]'], missing: ['Ꭳ', '\u202e'] };
    const { code, out, err } = await perch('ask', 'Coffee?', 'Yes', 'No');
    assert.deepEqual([code, out], [0, 'Yes\n']);
    assert.equal(err, 'perch: cut on the screen: question, answers[1]\nperch: characters without a font: Ꭳ \\u202e\n');
    answer.body = { ok: true, adjusted: ['color'] };
    assert.deepEqual(await perch('show', '--text', 'x'), { code: 0, out: '', err: 'perch: shown otherwise than sent: color\n' });
    answer.body = { ok: true, results: [{ ok: true }, { ok: true, truncated: ['text'] }] };
    const scene = await perch('scene', '--json', '{"action":"face","emotion":"sad"}', '{"action":"show","text":"x"}');
    assert.deepEqual([JSON.parse(scene.out), scene.err], [answer.body, 'perch: actions[1]: cut on the screen: text\n']);
  });

  it('sends an action to a group, and prints a line for each robot', async () => {
    const offline = { robot: 'r-2', ok: false, error: 'The robot is offline.', code: 'robot_offline' };
    answer.body = { ok: true, robots: [{ robot: 'r-1', ok: true, truncated: ['text'] }, offline], failed: 1 };
    const shown = await perch('show', 'Hello', '--group', 'room=r 7');
    assert.deepEqual([asked[0]!.path, asked[0]!.body], ['/v1/groups/room%3Dr%207/show', { text: 'Hello' }]);
    assert.deepEqual(shown, { code: 1, out: 'r-1\nr-2 failed: The robot is offline.\n', err: 'perch: r-1: cut on the screen: text\n' });
    const [replaced, answered] = ['replaced', 'answered'].map((outcome) => ({ ok: true, outcome, answer: outcome === 'answered' ? 'Yes' : null }));
    answer.body = {
      ok: true,
      robots: [
        { robot: 'r-1', ...replaced },
        { robot: 'r-2', ...answered },
      ],
      failed: 0,
      first: 'r-2',
    };
    const question = await perch('ask', 'Coffee?', 'Yes', 'No', '--group', 'all', '--first');
    assert.equal(asked.at(-1)!.path, '/v1/groups/all/ask?answers=first');
    assert.deepEqual([question.code, question.out], [0, 'r-1 replaced\nr-2 Yes\n']);
    answer.body = { ok: true, robots: [{ robot: 'r-1', ok: true, outcome: 'timed_out' }], failed: 0 };
    assert.equal((await perch('ask', 'Coffee?', 'Yes', 'No', '--group', 'all')).code, 2);
    assert.equal((await perch('face', 'happy', '--group', 'all', '--robot', 'r-1')).code, 64);
    assert.deepEqual(JSON.parse((await perch('face', 'happy', '--group', 'all', '--json')).out), answer.body);
  });

  it('prints the wait of a question that was asked with --detach, and answer waits for it, reads it and takes it away', async () => {
    answer.body = { ok: true, outcome: 'pending', wait: 'wt-1-2', answer: null, index: null };
    assert.deepEqual(await perch('ask', '--detach', 'Coffee?', 'Yes', 'No'), { code: 0, out: 'wt-1-2\n', err: '' });
    assert.deepEqual(await perch('answer', 'wt-1-2', '--seconds', '1'), { code: 2, out: '', err: '' });
    answer.body = { ...answer.body, outcome: 'answered', answer: 'Yes', index: 0 };
    assert.deepEqual(await perch('answer', 'wt-1-2'), { code: 0, out: 'Yes\n', err: '' });
    assert.deepEqual(await perch('answer', 'wt-1-2', '--remove'), { code: 0, out: '', err: '' });
    assert.equal((await perch('answer', 'wt-1-2', '--seconds', '61')).code, 64);
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/v1/robots/r-1/ask', '/v1/waits/wt-1-2?seconds=1', '/v1/waits/wt-1-2?seconds=0', '/v1/waits/wt-1-2'],
    );
  });

  it('accepts every argument of every action as a flag', async () => {
    await writeFile(join(folder, 'p.png'), 'picture');
    const picture = Buffer.from('picture').toString('base64');
    for (const { name, args } of actions) {
      if (name === 'state' || name === 'events' || name === 'stop') continue;
      const flags: string[] = [];
      const expected: Record<string, unknown> = {};
      for (const [arg, schema] of Object.entries(args.properties)) {
        const { type, enum: choices, items } = schema;
        const [text, value] =
          type === 'number' || type === 'integer'
            ? ['7', 7]
            : type === 'object'
              ? ['{"a":1}', { a: 1 }]
              : schema['contentMediaType'] === 'image/*'
                ? [join(folder, 'p.png'), picture]
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
    await writeFile(join(folder, 'p.jpg'), 'bytes');
    answer = { status: 200, body: { ok: true, picture: 'p-1', w: 1, h: 1 } };
    assert.deepEqual(await perch('picture', 'upload', join(folder, 'p.jpg')), { code: 0, out: 'p-1\n', err: '' });
    assert.deepEqual([asked[0]?.path, asked[0]?.body, asked[0]?.idempotencyKey], ['/v1/pictures', 'bytes', undefined]);
    assert.equal(JSON.parse((await perch('picture', 'upload', join(folder, 'p.jpg'), '--json')).out).picture, 'p-1');
    assert.match((await perch('picture', 'upload', join(folder, 'none.jpg'))).err, /none\.jpg cannot be read \(ENOENT\)/);
  });

  it('accepts the first and the required arguments without their flags', async () => {
    assert.deepEqual(await sent('ask', 'Tea?', 'Yes', 'No', '--timeout-s', '5'), { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 5 });
    assert.deepEqual(await sent('ask', 'Tea?', 'Yes', 'No', '--overflow', 'pages', '--whole'), {
      question: 'Tea?',
      answers: ['Yes', 'No'],
      overflow: 'pages',
      whole: true,
    });
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

  it('prints no escape sequences of responses, events and errors, as text or as JSON', async () => {
    const hostile = '\x1b]52;c;aGk=\x07\n2026-01-01 8 tap \u202e\x9b2J';
    const tag = { seq: 8, name: 'tag', data: { uid: '04a1', type: 'NTAG213', text: hostile, [hostile]: hostile }, at: '2026-01-01T11:59:58.250Z' };
    const bodies: [line: string[], body: object][] = [
      [['state'], { ...state, model: hostile, firmware: hostile, commands: [{ name: hostile }], events: [tag], readings: { wifi_ssid: hostile } }],
      [['events'], { ok: true, events: [tag], last_seq: 8 }],
      [['robots'], { ok: true, robots: [{ ...state, model: hostile }] }],
      [['command', 'brightness'], { ok: true, result: { [hostile]: [hostile] } }],
      [['ask', 'Tea?', 'Yes', 'No'], { ok: true, outcome: 'answered', answer: hostile, index: 0 }],
      [['scene', '{"action":"say","text":"Hi"}'], { ok: true, results: [{ ok: true, result: hostile }] }],
    ];
    for (const [line, body] of bodies) {
      answer = { status: 200, body };
      for (const format of [[], ['--json']]) {
        const { code, out, err } = await perch(...line, ...format);
        assert.equal(code, 0, err);
        assert.ok(out.includes('\\u001b]52;c;aGk='), `${line[0]} ${format[0]}: ${out}`);
        for (const printed of out.split('\n')) {
          assert.ok(isPlainText(printed), printed);
          assert.ok(!printed.startsWith('2026-01-01 8 tap'), 'a line break inside a value begins a line of its own');
        }
        if (format.length > 0 && line[0] !== 'robots') assert.deepEqual(JSON.parse(out), body);
      }
    }
    answer = { status: 400, body: { ok: false, error: hostile, code: 'bad_argument', request_id: 'q1' } };
    assert.ok(isPlainText((await perch('say', 'Hi')).err.trimEnd()));
  });

  it('accepts regions as words, tiles with pictures from files, and an Idempotency-Key', async () => {
    await writeFile(join(folder, 'soup.jpg'), 'soup');
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
    assert.deepEqual(await sent('menu', 'Salad', `{"label":"Soup","image":"@${join(folder, 'soup.jpg')}"}`), {
      items: ['Salad', { label: 'Soup', image }],
    });
    await sent('say', 'Hi', '--idempotency-key', 'hi-1');
    assert.equal(asked[0]?.idempotencyKey, 'hi-1');
  });

  for (const [outcome, code] of [
    ['answered', 0],
    ['timed_out', 2],
    ['replaced', 3],
  ] as const) {
    it(`exits with ${code} when a question is ${outcome}, and prints only the answer`, async () => {
      const asking = {
        ok: true,
        outcome,
        timed_out: outcome === 'timed_out',
        replaced: outcome === 'replaced',
        answer: outcome === 'answered' ? 'Tea' : null,
        index: 0,
      };
      answer.body = asking;
      assert.deepEqual(await perch('ask', '?', 'Tea', 'No'), { code, out: outcome === 'answered' ? 'Tea\n' : '', err: '' });
      assert.deepEqual(await perch('ask', '?', 'Tea', 'No', '--json'), { code, out: `${JSON.stringify(asking)}\n`, err: '' });
      answer.body = { ok: true, results: [{ ok: true }, asking] };
      assert.equal((await perch('scene', '{"action":"stop"}')).code, code);
    });
  }

  for (const [status, failure, code] of [
    [400, 'bad_argument', 64],
    [401, 'unauthorized', 5],
    [404, 'unknown_robot', 5],
    [503, 'robot_offline', 4],
    [503, 'outcome_unknown', 6],
    [503, 'robot_hardware', 1],
  ] as const) {
    it(`exits with ${code} on ${failure}, with the message on standard error and the failure as JSON`, async () => {
      answer = { status, body: { ok: false, error: 'It went wrong.', code: failure, request_id: 'q-1' } };
      assert.deepEqual(await perch('say', 'Hi'), { code, out: '', err: 'perch: It went wrong.\n' });
      const { out } = await perch('say', 'Hi', '--json');
      assert.deepEqual(JSON.parse(out), answer.body);
    });
  }

  for (const [args, says] of [
    [['ask'], /question is missing/],
    [['ask', 'Tea?'], /answers is missing/],
    [['say', 'Hi', '--text', 'Ho'], /text is given more than once/],
    [['say', 'Hi', '--seconds', 'long'], /seconds must be a number/],
    [['face', 'bored'], /neutral, happy/],
    [['command', 'x', '--args', '{'], /args must be JSON/],
    [['clickmap', 'left'], /regions must be JSON/],
    [['show', '--image', '/no/such/file'], /cannot be read \(ENOENT\)/],
    [['show', '--colour', 'red'], /--colour/],
    [['watch', '--count', '0'], /--count must be a whole number/],
    [['say', 'Hi', '--base-url', 'nowhere'], /baseUrl must be/],
  ] as const) {
    it(`names the problem of: ${args.join(' ')}`, async () => {
      const { code, out, err } = await perch(...args);
      assert.deepEqual([code, out, asked.length], [64, '', 0], err);
      assert.match(err, says);
    });
  }

  it('prints failures without a request to the service as JSON, too', async () => {
    for (const args of [
      ['ask', 'Tea?'],
      ['face', 'bored'],
      ['say', 'Hi', '--colour', 'red'],
      ['show', '--image', '/no/such/file'],
    ]) {
      const { code, out, err } = await perch(...args, '--json');
      const { ok, error } = JSON.parse(out) as { ok: boolean; error: string };
      assert.deepEqual([code, ok], [64, false], err);
      assert.ok(error.length > 0 && err.includes(error), `${err}${error}`);
    }
  });

  it('shows valid examples in the help of every action', async () => {
    assert.deepEqual(Object.keys(actionExamples).toSorted(), actions.map(({ name }) => name).toSorted());
    await writeFile(join(folder, 'photo.jpg'), 'picture');
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const words of Object.values(actionExamples).flat()) {
        answer.body = words[0] === 'state' ? state : { ok: true, results: [], events: [] };
        const { code, err } = await perch(...words);
        assert.equal(code, 0, `${words.join(' ')}: ${err}`);
      }
    } finally {
      process.chdir(before);
    }
    const { code, out } = await perch('menu', '--help');
    assert.equal(code, 0);
    assert.ok(out.includes(`  $ perch menu Salad '{"id":"soup","label":"Soup of the day","image":"@photo.jpg"}'\n`), out);
  });

  it('prints the screen, commands and last events of the state', async () => {
    answer.body = state;
    const { out } = await perch('state');
    assert.equal(
      out,
      [
        'r-1 online m 1',
        'showing emotion=neutral view=face',
        'commands brightness ir_send',
        'last_seq 7',
        '  2026-01-01T11:59:58.250Z 7 tap x=160 y=120',
        'readings of 2026-01-01T12:00:00.000Z',
        '  battery_pct 81',
        '',
      ].join('\n'),
    );
  });

  it('looks for the configuration file in one place, regardless of the working directory', () => {
    assert.equal(configFile({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' }), '/etc/ada/perch/config.json');
    assert.equal(configFile({ HOME: '/home/ada', XDG_CONFIG_HOME: 'ada' }), '/home/ada/.config/perch/config.json');
    assert.ok(isAbsolute(configFile({})));
  });

  it('takes URL, key and robot from flags, the environment or the configuration file, in this order', async () => {
    const { PERCH_BASE_URL: base_url } = environment;
    const config = join(folder, 'config', 'perch');
    await mkdir(config, { recursive: true });
    await writeFile(join(config, 'config.json'), JSON.stringify({ base_url, api_key: 'pk_file', robot: 'r-file' }));
    environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
    const used = async (...flags: string[]): Promise<unknown> => {
      assert.equal((await perch('stop', ...flags)).code, 0);
      const { path, key } = asked.at(-1)!;
      return [path.split('/')[3], key];
    };
    assert.deepEqual(await used(), ['r-file', 'Bearer pk_file']);
    environment['PERCH_API_KEY'] = 'pk_environment';
    assert.deepEqual(await used(), ['r-file', 'Bearer pk_environment']);
    assert.deepEqual(await used('--robot', 'r-flag', '--api-key', 'pk_flag'), ['r-flag', 'Bearer pk_flag']);

    for (const [text, says] of [
      ['{', /config.json is not JSON/],
      ['[1]', /must be an object of strings/],
      ['{"key":"pk"}', /"key" is unknown or not a string/],
    ] as const) {
      await writeFile(join(config, 'config.json'), text);
      const { code, err } = await perch('stop');
      assert.equal(code, 64);
      assert.match(err, says);
    }
  });

  it("uses the key's only robot by default, and requires a choice if there are several", async () => {
    delete environment['PERCH_ROBOT'];
    const robot = { online: true, model: 'm', firmware: '1', commands: [], labels: {} };
    answer.body = { ok: true, robots: [{ id: 'r-only', name: 'Desk', ...robot }] };
    assert.equal((await perch('stop')).code, 0);
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/v1/robots?limit=20', '/v1/robots/r-only/stop'],
    );
    assert.match((await perch('robots')).out, /r-only +Desk +online +m +1/);
    answer.body = {
      ok: true,
      robots: [
        { id: 'r-a', name: 'Desk', ...robot },
        { id: 'r-b', name: 'r-b', ...robot, online: false },
      ],
    };
    const { code, err } = await perch('stop');
    assert.equal(code, 64);
    assert.match(err, /--robot: r-a \(Desk, online\), r-b \(offline\)/);
  });

  it('prints a list of robots slice by slice, up to --limit, and as one line of JSON with --json', async () => {
    const robot = (id: string) => ({ id, name: `name of ${id}`, online: false, model: 'm', firmware: '1', commands: [], labels: {} });
    answer.body = { ok: true, robots: [robot('r-a'), robot('r-b')], next: 'r-b' };
    const list = async (...flags: string[]) => perch('robots', '--limit', '5', '--no-online', '--firmware', '1', ...flags);
    const { code, out } = await list();
    assert.deepEqual(
      asked.map(({ path }) => path),
      [5, 3, 1].map((limit, i) => `/v1/robots?limit=${limit}${i === 0 ? '' : '&after=r-b'}&online=false&firmware=1`),
    );
    const rows = out.trimEnd().split('\n');
    assert.deepEqual([code, rows.length, rows.filter((row) => row.startsWith('r-')).length], [0, 6, 5]);
    assert.deepEqual(
      (JSON.parse((await list('--json')).out) as { robots: { id: string }[] }).robots.map(({ id }) => id),
      ['r-a', 'r-b', 'r-a', 'r-b', 'r-a'],
    );
    answer.body = { ok: true, robots: [], next: null };
    assert.deepEqual([(await list()).out, (await list('--json')).out], ['No robots.\n', '{"robots":[]}\n']);
    for (const wrong of ['0', '-1', 'x', '1.5']) assert.equal((await perch('robots', '--limit', wrong)).code, 64, wrong);
  });

  it('prints its version', async () => {
    assert.deepEqual(await perch('--version'), { code: 0, out: '0.10.0\n', err: '' });
  });

  it('reports a missing key, and an unreachable service', async () => {
    environment = { HOME: folder };
    const { code, err } = await perch('stop');
    assert.equal(code, 64);
    assert.match(err, /PERCH_API_KEY.*config.json/);
    environment = { HOME: folder, PERCH_BASE_URL: `http://127.0.0.1:${await freePort()}`, PERCH_API_KEY: 'pk', PERCH_ROBOT: 'r' };
    const unreachable = await perch('stop');
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.err, /^perch: The service cannot be reached .*\n$/);
  });
});
