/** What the page makes of what it is given: addresses, codes, names, times, errors. */
import assert from 'node:assert/strict';
import { eventNames as served } from '@perch/schema';
import { CallError } from '../src/api/call-error.js';
import { noEvents, eventsKept, withEvent } from '../src/api/robot-events.js';
import { arrivalOf } from '../src/arrival.js';
import { isOwnPath } from '../src/return-path.js';
import { clientConfigs, shellLines } from '../src/pages/keys/client-configs.js';
import { expiresAt } from '../src/pages/keys/expiry.js';
import { birdName } from '../src/pages/robots/bird-name.js';
import { asPrinted, isWhole } from '../src/pages/robots/pairing-code.js';
import { problemSentence } from '../src/pages/sign-in/problem-sentence.js';
import { eventNames } from '../src/pages/webhooks/event-labels.js';
import { fieldErrors } from '../src/ui/controls/field-errors.js';
import { relativeTime } from '../src/ui/time/time.js';

describe('the fragment of the address', () => {
  it('brings a link, an invitation or a reason, and nothing else', () => {
    assert.deepEqual(arrivalOf('#sign-in=ps_link-1'), { link: 'ps_link-1' });
    assert.deepEqual(arrivalOf('#invitation=abc'), { invitation: 'abc' });
    assert.deepEqual(arrivalOf('#error=Sign+in+by%20password.'), { error: 'Sign in by password.' });
    assert.equal(arrivalOf('#main'), null);
    assert.equal(arrivalOf('#sign-in='), null);
    assert.equal(arrivalOf(''), null);
  });
});

describe('the path that is gone back to after signing in elsewhere', () => {
  it('is one of this page, and of no other', () => {
    const own = (path: string) => isOwnPath(path, 'https://perch.example');
    for (const path of ['/', '/pair?code=BCDFGHJK', '/robots/r-1?a=//b']) assert.equal(own(path), true, path);
    for (const path of ['', 'robots', '//evil.example', '/\\evil.example', '/\t/evil.example', 'https://evil.example/', 'javascript:alert(1)', '//'])
      assert.equal(own(path), false, path);
  });
});

describe('why another service did not sign in', () => {
  it('is told for the words that are ours, and for no others', () => {
    assert.match(problemSentence('oidc_email_taken')!, /password/);
    assert.equal(problemSentence('Your account is locked, call 555'), undefined);
    assert.equal(problemSentence('toString'), undefined);
  });
});

describe('a pairing code', () => {
  it('is taken however it was typed, and printed as the robot prints it', () => {
    for (const typed of ['bcdf ghjk', 'BCDF-GHJK', 'b c-d_f.ghjk', 'BCDFGHJKLM']) assert.equal(asPrinted(typed), 'BCDF-GHJK');
    assert.equal(asPrinted('bcdf'), 'BCDF');
    assert.equal(asPrinted('bcdf-'), 'BCDF');
    assert.equal(isWhole('BCDF-GHJK'), true);
    assert.equal(isWhole('BCDF-GHJ'), false);
  });
});

describe("a virtual robot's name", () => {
  it('is one that no robot has, however many there are', () => {
    const taken: string[] = [];
    for (let at = 0; at < 40; at++) taken.push(birdName(taken));
    assert.equal(new Set(taken).size, 40);
  });
});

describe('times', () => {
  const now = Date.parse('2030-06-15T12:00:00Z');
  it('are said as people say them', () => {
    const said = (ago: number) => relativeTime(now - ago * 1000, now);
    assert.equal(said(5), 'just now');
    assert.equal(said(-5), 'in a moment');
    assert.equal(said(60), '1 minute ago');
    assert.equal(said(3599), '1 hour ago');
    assert.equal(said(86_400 * 3), '3 days ago');
    assert.equal(said(-7200), 'in 2 hours');
  });

  it('a key of 30 days ends in 30 days, one of no end never', () => {
    assert.equal(expiresAt('30', now), '2030-07-15T12:00:00.000Z');
    assert.equal(expiresAt('never', now), undefined);
  });
});

describe('an error', () => {
  it('stands at the field it names, by its path or where that begins', () => {
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
  it('are kept once each, the newest of them', () => {
    const event = (seq: number) => ({ seq, name: 'tap' as const, data: {}, at: '2030-01-01T00:00:00Z' });
    let events = noEvents;
    for (let seq = 1; seq <= eventsKept + 5; seq++) events = withEvent(withEvent(events, event(seq)), event(seq));
    assert.equal(events.events.length, eventsKept);
    assert.equal(events.events[0]!.seq, 6);
  });

  it('have a word each', () => {
    assert.deepEqual(eventNames.toSorted(), [...served].toSorted());
  });
});

describe('what is given to MCP clients', () => {
  const key = 'pk_test"quote';
  const configs = clientConfigs('https://perch.example', key);

  it('names the tool address and carries the key, each in its own form', () => {
    assert.equal(new Set(configs.map(({ id }) => id)).size, configs.length);
    for (const { id, text } of configs) {
      assert.ok(text.includes('https://perch.example/mcp'), id);
      if (id === 'vscode') continue;
      if (text.startsWith('{')) assert.ok(JSON.stringify(JSON.parse(text)).includes(JSON.stringify(`Bearer ${key}`).slice(1, -1)), id);
      else assert.ok(text.includes('Bearer pk_test'), id);
    }
  });

  it('what is committed with a project has no key in it, and has it asked for as a secret', () => {
    const { text, where } = configs.find(({ id }) => id === 'vscode')!;
    assert.match(where, /\.vscode\/mcp\.json/);
    assert.doesNotMatch(text, /pk_/);
    const { inputs, servers } = JSON.parse(text) as { inputs: { id: string; password: boolean }[]; servers: { perch: { headers: object } } };
    assert.deepEqual(servers.perch.headers, { Authorization: `Bearer \${input:${inputs[0]!.id}}` });
    assert.equal(inputs[0]!.password, true);
  });

  it('a bridge is told that http is meant, where it is', () => {
    const bridge = (base: string) => clientConfigs(base, key).find(({ id }) => id === 'claude-desktop')!.text;
    assert.ok(bridge('http://127.0.0.1:8080').includes('--allow-http'));
    assert.ok(!bridge('https://perch.example').includes('--allow-http'));
  });

  it('the shell gets what the commands of the documents take', () => {
    assert.match(shellLines('http://h:1', 'pk_a', 'r-1'), /^BASE=http:\/\/h:1 KEY=pk_a ROBOT=r-1\n/);
    assert.match(shellLines('http://h:1', 'pk_a', undefined), /^BASE=http:\/\/h:1 KEY=pk_a\n/);
  });
});
