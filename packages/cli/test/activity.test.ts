import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runProgram } from '@perch/cli';

const entry = {
  seq: 7,
  at: '2026-11-24T02:00:00.000Z',
  kind: 'calls',
  via: 'http',
  key: { id: 'k-1', name: 'deploy' },
  robot: 'r-1',
  action: 'ask',
  outcome: 'answered',
  count: 1,
  seconds: 4.25,
  question: 'Ship it?',
  answer: 'Ship',
  x: null,
  y: null,
  tap_s: 3.5,
  network: null,
  subject: null,
  guest: null,
};
const signIn = {
  ...entry,
  seq: 9,
  kind: 'changes',
  via: 'page',
  key: null,
  robot: null,
  action: 'sign_in',
  outcome: 'bad_login',
  seconds: null,
  question: null,
  answer: null,
  tap_s: null,
  network: '203.0.113.0/24',
};

describe('perch activity', () => {
  let server: Server;
  let paths: string[] = [];
  let answers: Record<string, string | object> = {};

  before(async () => {
    server = createServer((request, response) => {
      paths.push(request.url!);
      const answer = answers[request.url!] ?? answers[request.url!.split('?')[0]!] ?? { ok: false, code: 'not_found', error: request.url };
      response.writeHead(200).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    paths = [];
    answers = { '/v1/activity': { ok: true, activity: [entry, signIn], last_seq: 9, next_before: null } };
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function perch(line: string, isTerminal = false): Promise<{ code: number; out: string; bytes: string; err: string }> {
    let out = '';
    let bytes = '';
    let err = '';
    const { port } = server.address() as AddressInfo;
    // PERCH_ROBOT selects the robot of actions, and must not filter the activity.
    const environment = { HOME: '/nowhere', PERCH_BASE_URL: `http://127.0.0.1:${port}`, PERCH_API_KEY: 'pk_test', PERCH_ROBOT: 'r-default' };
    const code = await runProgram(['activity', ...line.split(' ').filter((word) => word !== '')], {
      environment,
      isTerminal,
      out: (text) => (out += text),
      outBytes: (chunk) => (bytes += Buffer.from(chunk).toString('utf8')),
      err: (text) => (err += text),
    });
    return { code, out, bytes, err };
  }

  it('lists calls and changes, the newest last, with the filters of the interface', async () => {
    const { code, out, err } = await perch('--robot r-1 --key page --action ask --outcome refused --kind calls --limit 2');
    assert.deepEqual([code, err, paths], [0, '', ['/v1/activity?limit=2&robot=r-1&key=page&action=ask&outcome=refused&kind=calls']]);
    const [head, first, second, ...others] = out.split('\n');
    assert.match(head!, /^TIME +BY +ROBOT +ACTION +OUTCOME +SECONDS +DETAILS$/);
    assert.match(first!, /^2026-11-24T02:00:00\.000Z +deploy +r-1 +ask +answered +4\.25 +question="Ship it\?" answer="Ship" tap_s=3\.5$/);
    assert.match(second!, /Z +web page +- +sign_in +bad_login +- +network=203\.0\.113\.0\/24$/);
    assert.deepEqual(others, ['']);
    assert.deepEqual(JSON.parse((await perch('list --json')).out), { activity: [entry, signIn] });
    assert.equal(paths.at(-1), '/v1/activity?limit=100');
  });

  it('names the guest of a call that was made on the web page', async () => {
    const call = { ...entry, via: 'page', key: null, question: null, answer: null, tap_s: null, guest: 'ada@example.org' };
    answers = { '/v1/activity': { ok: true, activity: [call], last_seq: 7, next_before: null } };
    assert.match((await perch('')).out, /Z +web page +r-1 +ask +answered +4\.25 +guest=ada@example\.org\n$/);
  });

  it('reads earlier pages until it has as many entries as --limit allows', async () => {
    answers = {
      '/v1/activity?limit=1000': { ok: true, activity: [signIn], last_seq: 9, next_before: 9 },
      '/v1/activity?before=9&limit=1000': { ok: true, activity: [entry], last_seq: 9, next_before: null },
    };
    const { out } = await perch('--limit 1001 --json');
    assert.deepEqual(
      (JSON.parse(out) as { activity: { seq: number }[] }).activity.map(({ seq }) => seq),
      [7, 9],
    );
  });

  it('follows from the newest entry on, one line per entry', async () => {
    answers['/v1/activity?limit=1&kind=calls'] = { ok: true, activity: [entry], last_seq: 7, next_before: null };
    answers['/v1/activity?after=7&limit=1000&kind=calls'] = {
      ok: true,
      activity: [{ ...entry, seq: 8, action: 'face' }],
      last_seq: 8,
      next_before: null,
    };
    answers['/v1/activity?after=8&limit=1000&kind=calls'] = { ok: true, activity: [{ ...entry, seq: 9, count: 4 }], last_seq: 9, next_before: null };
    const { code, out } = await perch('list --follow --count 2 --kind calls');
    const lines = out.split('\n');
    assert.deepEqual([code, lines.length], [0, 3]);
    assert.match(lines[0]!, / face +answered /);
    assert.match(lines[1]!, / ask +answered x4 /);
  });

  it('prints text of strangers in one line, without control characters', async () => {
    const hostile = { ...entry, key: { id: 'k-1', name: 'a\u001b[2Jb' }, question: 'one\ntwo\u202e', outcome: 'answered' };
    answers['/v1/activity'] = { ok: true, activity: [hostile], last_seq: 7, next_before: null };
    const { out } = await perch('');
    assert.equal(out.split('\n').length, 3);
    assert.ok(!out.includes('\u001b') && !out.includes('\u202e'), JSON.stringify(out));
    answers['/v1/activity/export'] = 'seq\r\n"a\u001b[2Jb"\r\n';
    const shown = await perch('export', true);
    assert.deepEqual([shown.out, shown.bytes], ['seq\n"a\\u001b[2Jb"\n', '']);
    const redirected = await perch('export');
    assert.deepEqual([redirected.out, redirected.bytes], ['', 'seq\r\n"a\u001b[2Jb"\r\n']);
  });

  it('exports in the chosen format with the filters', async () => {
    answers['/v1/activity/export'] = '[]';
    assert.deepEqual((await perch('export --format json --robot r-1')).bytes, '[]');
    assert.deepEqual(paths, ['/v1/activity/export?format=json&robot=r-1']);
    assert.equal((await perch('export --format xml')).code, 64);
  });

  it('prints the usage of each key and day', async () => {
    const usage = { calls: 12, refused: 1, asked: 4, answered: 3, answer_rate: 0.75, median_tap_s: 2.1 };
    const page = { key: null, calls: 1, refused: 0, asked: 0, answered: 0, answer_rate: null, median_tap_s: null };
    const days = [{ date: '2026-11-24', keys: [{ key: { id: 'k-1', name: '' }, ...usage }, page] }];
    answers['/v1/activity/usage'] = { ok: true, days };
    const lines = (await perch('usage')).out.split('\n');
    assert.match(lines[1]!, /^2026-11-24 +k-1 +12 +1 +4 +3 +75 % +2\.1 s$/);
    assert.match(lines[2]!, /^2026-11-24 +web page and others +1 +0 +0 +0 +- +-$/);
    assert.deepEqual(JSON.parse((await perch('usage --json')).out), { days });
  });

  it('refuses a limit that is no whole number, an unknown kind, and --count without --follow', async () => {
    for (const wrong of ['--limit 0', '--limit x', '--kind all', '--count 2']) assert.equal((await perch(wrong)).code, 64, wrong);
    assert.deepEqual(paths, []);
  });
});
