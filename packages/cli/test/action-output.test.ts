import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlainText, release } from '@perch/schema';
import { actionExamples } from '../src/actions/action-examples.js';
import { actions } from '../src/actions/actions.generated.js';
import { answeredPerch } from './answered-perch.js';

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
  const at = answeredPerch();
  const { perch } = at;

  it('warns on standard error of what the person does not see as it was sent, and prints the result alone', async () => {
    at.answer.body = { ok: true, outcome: 'answered', answer: 'Yes', index: 0, truncated: ['question', 'answers[1]'], missing: ['Ꭳ', '\u202e'] };
    const { code, out, err } = await perch('ask', 'Coffee?', 'Yes', 'No');
    assert.deepEqual([code, out], [0, 'Yes\n']);
    assert.equal(err, 'perch: cut on the screen: question, answers[1]\nperch: characters without a font: Ꭳ \\u202e\n');
    at.answer.body = { ok: true, adjusted: ['color'] };
    assert.deepEqual(await perch('show', '--text', 'x'), { code: 0, out: '', err: 'perch: shown otherwise than sent: color\n' });
    at.answer.body = { ok: true, results: [{ ok: true }, { ok: true, truncated: ['text'] }] };
    const scene = await perch('scene', '--json', '{"action":"face","emotion":"sad"}', '{"action":"show","text":"x"}');
    assert.deepEqual([JSON.parse(scene.out), scene.err], [at.answer.body, 'perch: actions[1]: cut on the screen: text\n']);
  });

  it('leaves out the notes after 30 s with --cut, and sends them without it', async () => {
    at.answer.body = { ok: true, seconds: 30, replaced: false };
    const notes = 'x:d=1,o=5,b=120:c,d,e,f,g,a,b,c,d,e,f,g,a,b,c,8d,e';
    for (const [flags, sent] of [
      [[], notes],
      [['--cut'], 'x:d=1,o=5,b=120:c,d,e,f,g,a,b,c,d,e,f,g,a,b,c'],
    ] as const) {
      await perch('sound', '--notes', notes, ...flags);
      assert.deepEqual(at.asked.at(-1)!.body, { notes: sent });
    }
  });

  it('sends an action to a group, and prints a line for each robot', async () => {
    const offline = { robot: 'r-2', ok: false, error: 'The robot is offline.', code: 'robot_offline', next: 'Look again.' };
    at.answer.body = { ok: true, robots: [{ robot: 'r-1', ok: true, truncated: ['text'] }, offline], failed: 1 };
    const shown = await perch('show', 'Hello', '--group', 'room=r 7');
    assert.deepEqual([at.asked[0]!.path, at.asked[0]!.body], ['/v1/groups/room%3Dr%207/show', { text: 'Hello' }]);
    assert.deepEqual(shown, { code: 1, out: 'r-1\nr-2 failed: The robot is offline. Look again.\n', err: 'perch: r-1: cut on the screen: text\n' });
    const [replaced, answered] = ['replaced', 'answered'].map((outcome) => ({ ok: true, outcome, answer: outcome === 'answered' ? 'Yes' : null }));
    at.answer.body = {
      ok: true,
      robots: [
        { robot: 'r-1', ...replaced },
        { robot: 'r-2', ...answered },
      ],
      failed: 0,
      first: 'r-2',
    };
    const question = await perch('ask', 'Coffee?', 'Yes', 'No', '--group', 'all', '--first');
    assert.equal(at.asked.at(-1)!.path, '/v1/groups/all/ask?answers=first');
    assert.deepEqual([question.code, question.out], [0, 'r-1 replaced\nr-2 Yes\n']);
    at.answer.body = { ok: true, robots: [{ robot: 'r-1', ok: true, outcome: 'timed_out' }], failed: 0 };
    assert.equal((await perch('ask', 'Coffee?', 'Yes', 'No', '--group', 'all')).code, 2);
    assert.equal((await perch('face', 'happy', '--group', 'all', '--robot', 'r-1')).code, 64);
    assert.deepEqual(JSON.parse((await perch('face', 'happy', '--group', 'all', '--json')).out), at.answer.body);
  });

  it('exits with 0 for the answer of --expect alone, with 7 for another one, and with 64 for one that nobody can give', async () => {
    const codeOf = async (...args: string[]): Promise<number> => (await perch(...args)).code;
    const ask = ['ask', 'Deploy?', 'Yes', 'No', '--expect', 'Yes'];
    for (const [fields, code] of [
      [{ outcome: 'answered', answer: 'Yes', index: 0 }, 0],
      [{ outcome: 'answered', answer: 'No', index: 1 }, 7],
      [{ outcome: 'timed_out', answer: null, index: null }, 2],
      [{ outcome: 'replaced', answer: null, index: null }, 3],
    ] as const) {
      at.answer.body = { ok: true, ...fields };
      assert.equal(await codeOf(...ask), code);
      assert.equal(await codeOf('answer', 'wt-1-2', '--expect', 'Yes'), code);
      at.answer.body = { ok: true, failed: 0, robots: [{ robot: 'r-1', ok: true, ...fields }] };
      assert.equal(await codeOf(...ask, '--group', 'all', '--first'), code);
    }
    at.answer.body = { ok: true, outcome: 'answered', item: 'soup', label: 'Soup', index: 1 };
    const menu = ['menu', 'Pizza', '{"id":"soup","label":"Soup"}'];
    assert.deepEqual(await Promise.all(['soup', 'Soup', 'Pizza'].map((text) => codeOf(...menu, '--expect', text))), [0, 0, 7]);
    assert.equal(await codeOf(...menu, '--expect', 'Pizza', '--expect', 'soup'), 0);
    const asked = at.asked.length;
    for (const args of [
      [...ask, '--expect', 'Yse'],
      [...ask, '--detach'],
      [...ask, '--group', 'all'],
    ])
      assert.equal(await codeOf(...args), 64);
    assert.equal(at.asked.length, asked, 'nothing was asked');
  });

  it('exits with the outcome of a question though the reader of its output is gone, and ends with the reader otherwise', async () => {
    const codeOf = async (stdout: 'closed' | number, ...args: string[]): Promise<number> => {
      const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
      const child = spawn(process.execPath, [...process.execArgv, main, ...args], {
        env: { ...process.env, ...at.environment },
        stdio: ['ignore', stdout === 'closed' ? 'pipe' : stdout, 'ignore'],
      });
      child.stdout?.destroy();
      return ((await once(child, 'exit')) as [number])[0];
    };
    at.answer.body = { ok: true, outcome: 'timed_out', answer: null, index: null };
    assert.equal(await codeOf('closed', 'ask', 'Coffee?', 'Yes', 'No', '--json'), 2);
    at.answer.body = { ok: true, outcome: 'answered', answer: 'No', index: 1 };
    assert.equal(await codeOf('closed', 'ask', 'Coffee?', 'Yes', 'No', '--expect', 'Yes'), 7);
    at.answer.body = state;
    assert.equal(await codeOf('closed', 'state'), 0);
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    assert.equal(await codeOf(full, 'state'), 1);
    closeSync(full);
  });

  it('watches on where the connection breaks before the first event, which is every quiet robot', async () => {
    let streams = 0;
    const server = createServer((_request, response) => {
      streams++;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\n\n');
      if (streams < 4) return response.destroy();
      response.end('id: 1\ndata: {"seq":1,"name":"pat","data":{"ms":90},"at":"2026-01-01T12:00:00Z"}\n\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    at.environment['PERCH_BASE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      assert.deepEqual(await perch('watch', '--after', '0', '--count', '1'), { code: 0, out: '2026-01-01T12:00:00Z 1 pat ms=90\n', err: '' });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    assert.equal(streams, 4);
  });

  it('tells a person at a terminal how a question ended without an answer', async () => {
    at.isTerminal = true;
    at.answer.body = { ok: true, outcome: 'timed_out', answer: null, index: null };
    assert.deepEqual(await perch('ask', 'Coffee?', 'Yes', 'No'), { code: 2, out: '', err: 'perch: no one answered the question in time\n' });
    at.answer.body = { ok: true, outcome: 'answered', answer: 'No', index: 1 };
    assert.equal((await perch('ask', 'Coffee?', 'Yes', 'No', '--expect', 'Yes')).err, 'perch: answered, but otherwise than --expect says\n');
    at.isTerminal = false;
    assert.equal((await perch('ask', 'Coffee?', 'Yes', 'No', '--expect', 'Yes')).err, '');
  });

  it('prints the help of a command by its words, and suggests one where there is none, without running a default command', async () => {
    for (const [words, says] of [
      [['help', 'robot', 'add'], /^Usage: perch robot add /],
      [['help', 'ask'], /^Usage: perch ask /],
      [['help', 'ask', 'Tea?'], /^Usage: perch ask /],
      [['help'], /^Usage: perch \[options\]/],
      [['help', 'help'], /^Usage: perch \[options\]/],
    ] as const) {
      const { code, out, err } = await perch(...words);
      assert.deepEqual([code, err], [0, ''], words.join(' '));
      assert.match(out, says);
    }
    for (const [words, says] of [
      [['help', 'aks'], /unknown command 'aks'\n\(Did you mean ask\?\)/],
      [['help', 'robot', 'lits'], /unknown command 'lits'\n\(Did you mean list\?\)/],
      [['help', 'activity', 'exprot'], /unknown command 'exprot'\n\(Did you mean export\?\)/],
      [['help', 'nonsense'], /unknown command 'nonsense'/],
    ] as const) {
      const { code, out, err } = await perch(...words);
      assert.deepEqual([code, out, at.asked.length], [64, '', 0], words.join(' '));
      assert.match(err, says);
    }
  });

  it('reads a text from standard input for -, and leaves - as it is where no text belongs', async () => {
    at.answer.body = { ok: true };
    at.input = 'up 3 days\n';
    await perch('say', '-');
    await perch('show', '--text', '-', '--title', 'uptime');
    assert.deepEqual(
      at.asked.map(({ body }) => body),
      [{ text: 'up 3 days' }, { text: 'up 3 days', title: 'uptime' }],
    );
    assert.equal((await perch('show', '--image', '-')).code, 64);
  });

  it('takes --json on every command that answers something', async () => {
    const commandsIn = (help: string): string[] =>
      [...help.matchAll(/^  ([a-z][a-z-]*)(?= )/gm)].map(([, name]) => name!).filter((name) => name !== 'help' && name !== 'perch');
    const without: string[] = [];
    const look = async (...path: string[]): Promise<void> => {
      const { out } = await perch(...path, '--help');
      const inner = out.includes('\nCommands:') || path.length === 0 ? commandsIn(out) : [];
      for (const name of inner) await look(...path, name);
      if (inner.length === 0 && !out.includes('--json')) without.push(path.join(' '));
    };
    await look();
    // They print a file, in the format that --format names, and a script for a shell.
    assert.deepEqual(without, ['activity export', 'completion']);
  });

  it('has a code in the JSON of every failure', async () => {
    const codeIn = async (...args: string[]): Promise<unknown> => (JSON.parse((await perch(...args, '--json')).out) as { code: unknown }).code;
    assert.equal(await codeIn('ask'), 'usage');
    assert.equal(await codeIn('ask', '--nonsense'), 'usage');
    at.answer = { status: 503, body: { ok: false, error: 'The robot is offline.', code: 'robot_offline' } };
    assert.equal(await codeIn('say', 'Hello'), 'robot_offline');
    assert.equal(await codeIn('account', 'list'), 'usage');
  });

  it('refuses an id or a port that no request can have in one line, as wrong usage', async () => {
    for (const args of [
      ['state', '--robot', '..'],
      ['answer', '.'],
      ['say', 'Hello', '--group', '..'],
    ]) {
      const { code, err } = await perch(...args);
      assert.deepEqual([code, err], [64, `perch: "${args.at(-1)}" is no id\n`]);
    }
    const { code, err } = await perch('state', '--base-url', 'http://127.0.0.1:9');
    assert.deepEqual([code, err], [64, 'perch: the base URL: fetch refuses its port, so that nothing can be sent to it\n']);
  });

  it('names settings as they are written, without their values', async () => {
    for (const [flag, value, name] of [
      ['--base-url', 'http://user:hunter2@h.example', '--base-url'],
      ['--api-key', 'pk_hunter2 ', '--api-key'],
    ] as const) {
      const { code, err } = await perch('say', 'Hello', flag, value);
      assert.equal(code, 64);
      assert.match(err, new RegExp(`^perch: ${name} must be`));
      assert.doesNotMatch(err, /hunter2/);
    }
    at.environment['PERCH_BASE_URL'] = 'nowhere';
    assert.match((await perch('say', 'Hello')).err, /^perch: PERCH_BASE_URL must be/);
    for (const flag of ['--version', '-V']) assert.match((await perch(flag)).out, /^\d+\.\d+\.\d+/);
  });

  it('prints the wait of a question that was asked with --detach, and answer waits for it, reads it and takes it away', async () => {
    at.answer.body = { ok: true, outcome: 'pending', wait: 'wt-1-2', answer: null, index: null };
    assert.deepEqual(await perch('ask', '--detach', 'Coffee?', 'Yes', 'No'), { code: 0, out: 'wt-1-2\n', err: '' });
    assert.deepEqual(await perch('answer', 'wt-1-2', '--seconds', '1'), { code: 2, out: '', err: '' });
    at.answer.body = { ...at.answer.body, outcome: 'answered', answer: 'Yes', index: 0 };
    assert.deepEqual(await perch('answer', 'wt-1-2'), { code: 0, out: 'Yes\n', err: '' });
    assert.deepEqual(await perch('answer', 'wt-1-2', '--remove'), { code: 0, out: '', err: '' });
    assert.equal((await perch('answer', 'wt-1-2', '--seconds', '61')).code, 64);
    assert.deepEqual(
      at.asked.map(({ path }) => path),
      ['/v1/robots/r-1/ask', '/v1/waits/wt-1-2?seconds=1', '/v1/waits/wt-1-2?seconds=0', '/v1/waits/wt-1-2'],
    );
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
      at.answer = { status: 200, body };
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
    at.answer = { status: 400, body: { ok: false, error: hostile, code: 'bad_argument', request_id: 'q1' } };
    assert.ok(isPlainText((await perch('say', 'Hi')).err.trimEnd()));
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
      at.answer.body = asking;
      assert.deepEqual(await perch('ask', '?', 'Tea', 'No'), { code, out: outcome === 'answered' ? 'Tea\n' : '', err: '' });
      assert.deepEqual(await perch('ask', '?', 'Tea', 'No', '--json'), { code, out: `${JSON.stringify(asking)}\n`, err: '' });
      at.answer.body = { ok: true, results: [{ ok: true }, asking] };
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
      at.answer = { status, body: { ok: false, error: 'It went wrong.', code: failure, request_id: 'q-1' } };
      assert.deepEqual(await perch('say', 'Hi'), { code, out: '', err: 'perch: It went wrong.\n' });
      const { out } = await perch('say', 'Hi', '--json');
      assert.deepEqual(JSON.parse(out), at.answer.body);
    });
  }

  it('prints what to do next below the message of a failure, and in its JSON', async () => {
    const next = 'Send show with "clear": true.';
    at.answer = { status: 400, body: { ok: false, error: 'A card covers the face.', code: 'card_showing', request_id: 'q-1', next } };
    assert.equal((await perch('say', 'Hi')).err, `perch: A card covers the face.\n${next}\n`);
    assert.deepEqual(JSON.parse((await perch('say', 'Hi', '--json')).out), at.answer.body);
  });

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
    await writeFile(join(at.folder, 'photo.jpg'), 'picture');
    const before = process.cwd();
    process.chdir(at.folder);
    try {
      for (const words of Object.values(actionExamples).flat()) {
        const answer = words[words.indexOf('--expect') + 1];
        at.answer.body = words[0] === 'state' ? state : { ok: true, outcome: 'answered', answer, results: [], events: [] };
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
    at.answer.body = state;
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

  it('prints a list of robots slice by slice, up to --limit, and as one line of JSON with --json', async () => {
    const robot = (id: string) => ({ id, name: `name of ${id}`, online: false, model: 'm', firmware: '1', commands: [], labels: {} });
    at.answer.body = { ok: true, robots: [robot('r-a'), robot('r-b')], next: 'r-b' };
    const list = async (...flags: string[]) => perch('robots', '--limit', '5', '--no-online', '--firmware', '1', ...flags);
    const { code, out } = await list();
    assert.deepEqual(
      at.asked.map(({ path }) => path),
      [5, 3, 1].map((limit, i) => `/v1/robots?limit=${limit}${i === 0 ? '' : '&after=r-b'}&online=false&firmware=1`),
    );
    const rows = out.trimEnd().split('\n');
    assert.deepEqual([code, rows.length, rows.filter((row) => row.startsWith('r-')).length], [0, 6, 5]);
    assert.deepEqual(
      (JSON.parse((await list('--json')).out) as { robots: { id: string }[] }).robots.map(({ id }) => id),
      ['r-a', 'r-b', 'r-a', 'r-b', 'r-a'],
    );
    at.answer.body = { ok: true, robots: [], next: null };
    assert.deepEqual([(await list()).out, (await list('--json')).out], ['No robots.\n', '{"robots":[]}\n']);
    for (const wrong of ['0', '-1', 'x', '1.5']) assert.equal((await perch('robots', '--limit', wrong)).code, 64, wrong);
  });

  it('prints its version', async () => {
    assert.deepEqual(await perch('--version'), { code: 0, out: `${release}\n`, err: '' });
  });
});
