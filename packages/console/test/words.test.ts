import assert from 'node:assert/strict';
import { defaultScopes, eventNames as served, keyScopes, nameCharsMax as personNameCharsMax } from '@perch/schema';
import { CallError } from '../src/api/call-error.js';
import { noEvents, eventsKept, withEvent } from '../src/api/live/robot-events.js';
import { parseUrlFragment } from '../src/url-fragment.js';
import { isOwnPath } from '../src/return-path.js';
import { clientConfigs, hookConfig, shellLines } from '../src/pages/keys/client-configs.js';
import { expiresAt } from '../src/pages/keys/expiry.js';
import { preselected, scopes } from '../src/pages/keys/scopes.js';
import { birdName } from '../src/pages/robots/bird-name.js';
import { formatCode, isComplete } from '../src/pages/robots/pairing-code.js';
import { problemSentence } from '../src/pages/sign-in/problem-sentence.js';
import { eventNames } from '../src/pages/webhooks/event-labels.js';
import { fieldErrors } from '../src/ui/controls/field-errors.js';
import { nameCharsMax, nameProblem } from '../src/ui/controls/name-problem.js';
import { relativeTime } from '../src/ui/time/time.js';

describe('the URL fragment', () => {
  it('yields a sign-in secret, an invitation or an error, and ignores other parameters', () => {
    assert.deepEqual(parseUrlFragment('#sign-in=ps_link-1'), { link: 'ps_link-1' });
    assert.deepEqual(parseUrlFragment('#invitation=abc'), { invitation: 'abc' });
    assert.deepEqual(parseUrlFragment('#share=pg_abc'), { share: 'pg_abc' });
    assert.deepEqual(parseUrlFragment('#error=Sign+in+by%20password.'), { error: 'Sign in by password.' });
    assert.deepEqual(parseUrlFragment('#reset=pr_one'), { reset: 'pr_one' });
    assert.deepEqual(parseUrlFragment('#verify=pv_one'), { verify: 'pv_one' });
    assert.equal(parseUrlFragment('#main'), null);
    assert.equal(parseUrlFragment('#sign-in='), null);
    assert.equal(parseUrlFragment(''), null);
  });
});

describe('the return path of an external sign-in', () => {
  it('accepts only paths of this page as return path', () => {
    const own = (path: string) => isOwnPath(path, 'https://perch.example');
    for (const path of ['/', '/pair?code=BCDFGHJK', '/robots/r-1?a=//b']) assert.equal(own(path), true, path);
    for (const path of ['', 'robots', '//evil.example', '/\\evil.example', '/\t/evil.example', 'https://evil.example/', 'javascript:alert(1)', '//'])
      assert.equal(own(path), false, path);
  });
});

describe('messages for failed external sign-ins', () => {
  it('returns a message for known codes only', () => {
    assert.match(problemSentence('oidc_email_taken')!, /password/);
    assert.equal(problemSentence('Your account is locked, call 555'), undefined);
    assert.equal(problemSentence('toString'), undefined);
  });
});

describe('the scopes of a new key', () => {
  it('offers all of the service, and preselects those that a key has without a choice', () => {
    const offered = scopes.map(({ id }) => id);
    assert.deepEqual(offered, keyScopes);
    assert.deepEqual(preselected(offered), defaultScopes);
  });
});

describe('the name of a robot or key', () => {
  it('rejects a name that the service would reject, and a blank one unless it is optional', () => {
    assert.equal(nameCharsMax, personNameCharsMax);
    assert.equal(nameProblem('x'.repeat(64), 'Enter a name.'), null);
    assert.match(nameProblem('x'.repeat(100), null)!, /at most 64 characters; this name has 100/);
    assert.equal(nameProblem(`  ${'x'.repeat(64)} `, null), null);
    assert.equal(nameProblem('🤖'.repeat(64), null), null);
    assert.match(nameProblem('🤖'.repeat(65), null)!, /at most 64 characters; this name has 65/);
    assert.equal(nameProblem('  ', 'Enter a name.'), 'Enter a name.');
    assert.equal(nameProblem('  ', null), null);
  });
});

describe('a pairing code', () => {
  it('formats a pairing code as the robot shows it, however it was typed', () => {
    for (const typed of ['bcdf ghjk', 'BCDF-GHJK', 'b c-d_f.ghjk', 'BCDFGHJKLM']) assert.equal(formatCode(typed), 'BCDF-GHJK');
    assert.equal(formatCode('bcdf'), 'BCDF');
    assert.equal(formatCode('bcdf-'), 'BCDF');
    assert.equal(isComplete('BCDF-GHJK'), true);
    assert.equal(isComplete('BCDF-GHJ'), false);
  });
});

describe("a virtual robot's name", () => {
  it('returns an unused name for a virtual robot, however many exist', () => {
    const taken: string[] = [];
    for (let at = 0; at < 40; at++) taken.push(birdName(taken));
    assert.equal(new Set(taken).size, 40);
  });
});

describe('times', () => {
  const now = Date.parse('2030-06-15T12:00:00Z');
  it('formats relative times in words', () => {
    const said = (ago: number) => relativeTime(now - ago * 1000, now);
    assert.equal(said(5), 'just now');
    assert.equal(said(-5), 'in a moment');
    assert.equal(said(60), '1 minute ago');
    assert.equal(said(3599), '1 hour ago');
    assert.equal(said(86_400 * 3), '3 days ago');
    assert.equal(said(-7200), 'in 2 hours');
  });

  it('returns the expiration time of a key of 30 days, and none for a key that never expires', () => {
    assert.equal(expiresAt('30', now), '2030-07-15T12:00:00.000Z');
    assert.equal(expiresAt('never', now), undefined);
  });
});

describe('an error', () => {
  it('assigns an error to the field that matches its path or the first segment of it', () => {
    const error = (field: string | null, message = 'No.') => new CallError('bad_argument', message, { field });
    assert.deepEqual(fieldErrors(error('url', 'url: must be https'), ['url']), { url: 'Must be https' });
    assert.deepEqual(fieldErrors(error('robots[3]'), ['url', 'robots']), { robots: 'No.' });
    assert.deepEqual(fieldErrors(error('regions[2].polygon'), ['regions[2].polygon', 'regions']), { 'regions[2].polygon': 'No.' });
    assert.deepEqual(fieldErrors(error('other'), ['url']), {});
    assert.deepEqual(fieldErrors(error(null), ['url']), {});
    assert.deepEqual(fieldErrors(new TypeError('x'), ['url']), {});
  });
});

describe('the events of a watched robot', () => {
  it('keeps each event once, up to the maximum number', () => {
    const event = (seq: number) => ({ seq, name: 'tap' as const, data: {}, at: '2030-01-01T00:00:00Z' });
    let events = noEvents;
    for (let seq = 1; seq <= eventsKept + 5; seq++) events = withEvent(withEvent(events, event(seq)), event(seq));
    assert.equal(events.events.length, eventsKept);
    assert.equal(events.events[0]!.seq, 6);
  });

  it('has a label for each event', () => {
    assert.deepEqual(eventNames.toSorted(), [...served].toSorted());
  });
});

describe('configuration of MCP clients', () => {
  const key = 'pk_test"quote';
  const configs = clientConfigs('https://perch.example', key);

  it('contains the URL of /mcp and the key, in the format of each client', () => {
    assert.equal(new Set(configs.map(({ id }) => id)).size, configs.length);
    for (const { id, text } of configs) {
      assert.ok(text.includes('https://perch.example/mcp'), id);
      if (id === 'vscode') continue;
      if (text.startsWith('{')) assert.ok(JSON.stringify(JSON.parse(text)).includes(JSON.stringify(`Bearer ${key}`).slice(1, -1)), id);
      else assert.ok(text.includes('Bearer pk_test'), id);
    }
  });

  it('prompts for the key as a secret in a file that is committed with a project', () => {
    const { text, where } = configs.find(({ id }) => id === 'vscode')!;
    assert.match(where, /\.vscode\/mcp\.json/);
    assert.doesNotMatch(text, /pk_/);
    const { inputs, servers } = JSON.parse(text) as { inputs: { id: string; password: boolean }[]; servers: { perch: { headers: object } } };
    assert.deepEqual(servers.perch.headers, { Authorization: `Bearer \${input:${inputs[0]!.id}}` });
    assert.equal(inputs[0]!.password, true);
  });

  it('contains install links that hold the configuration; the one of VS Code does not contain the key', () => {
    const install = (id: string) => new URL(configs.find((config) => config.id === id)!.install!);
    const cursor = install('cursor');
    assert.equal(cursor.searchParams.get('name'), 'perch');
    assert.deepEqual(JSON.parse(atob(cursor.searchParams.get('config')!)), {
      url: 'https://perch.example/mcp',
      headers: { Authorization: `Bearer ${key}` },
    });
    const { inputs, ...server } = JSON.parse(decodeURIComponent(install('vscode').search.slice(1))) as { inputs: { id: string }[] };
    assert.deepEqual(server, {
      name: 'perch',
      type: 'http',
      url: 'https://perch.example/mcp',
      headers: { Authorization: `Bearer \${input:${inputs[0]!.id}}` },
    });
  });

  it('allows http for the bridge only if the base URL is http', () => {
    const bridge = (base: string) => clientConfigs(base, key).find(({ id }) => id === 'claude-desktop')!.text;
    assert.ok(bridge('http://127.0.0.1:8080').includes('--allow-http'));
    assert.ok(!bridge('https://perch.example').includes('--allow-http'));
  });

  it('names the variables of the approval hook, which no other configuration does', () => {
    const { text } = hookConfig('https://perch.example', 'pk_a', 'r-1');
    assert.equal(text, 'export PERCH_BASE_URL=https://perch.example PERCH_APPROVAL_KEY=pk_a PERCH_ROBOT=r-1');
    assert.match(hookConfig('https://perch.example', 'pk_a', undefined).text, / PERCH_ROBOT=r-\.\.\.$/);
    for (const { id, text: other } of configs) assert.ok(!other.includes('PERCH_APPROVAL_KEY'), id);
  });

  it('sets the shell variables that the documentation uses', () => {
    assert.match(shellLines('http://h:1', 'pk_a', 'r-1'), /^export PERCH_BASE_URL=http:\/\/h:1 PERCH_API_KEY=pk_a PERCH_ROBOT=r-1\n/);
    assert.match(shellLines('http://h:1', 'pk_a', undefined), /^export PERCH_BASE_URL=http:\/\/h:1 PERCH_API_KEY=pk_a\n/);
  });
});
