import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { BodyKind } from '../src/console/requests/body-kind.js';
import { addKeyBody, addRobotBodies, changeRobotBody } from '../src/console/requests/owners-bodies.js';
import { endsByInvitation, passwordBody, signInBodies, signUpBody } from '../src/console/auth/auth-bodies.js';
import { endsOfBytes } from '../src/console/requests/drafts.js';
import { done, forbidden, signedOut, wrong, type End } from '../src/console/requests/expected-results.js';
import { generatorOf, generatorOfAny, namedRoutes } from '../src/console/requests/generators.js';
import { limitProblems } from '../src/console/auth/attempt-limits.js';
import { countProblems } from '../src/console/parallel-limits.js';
import { senderOf, expectedRefusals, type SenderChoice } from '../src/console/requests/request-senders.js';
import { mountedRoutes } from '../src/console/page/mounted.js';
import { cookies, pages, type SenderCredentials } from '../src/console/requests/sender-headers.js';
import { password } from '../src/console/auth/console-users.js';
import { declaredRoutes, routeAt, routeName, routesIn, type ConsoleRoute } from '../src/console/requests/routes.js';
import type { ConsoleEndpoint } from '../src/console/console-endpoint.js';
import { placeholders } from '../src/console/requests/placeholders.js';
import { streamIn, streamProblem } from '../src/console/streams.js';
import { unattended } from '../src/targets/console-calls.js';
import { openApi } from './actions.js';

const route = (name: string): ConsoleRoute => declaredRoutes().find((each) => routeName(each) === name)!;

describe('the routes of the console', () => {
  it('reads the routes and their permissions from the sources', () => {
    const names = declaredRoutes().map(routeName);
    assert.ok(
      ['GET session', 'POST accounts', 'PATCH robots/{robot}', 'DELETE keys/{key}', 'GET live'].every((name) => names.includes(name)),
      names.join(),
    );
    assert.equal(new Set(names).size, names.length);
    assert.equal(route('GET robots').session, true);
    assert.equal(route('POST session').session, false);
    assert.equal(route('GET oidc/callback').fromElsewhere, true);
  });

  it('ends the run on a route it cannot parse, and attacks and reports one without a generator', () => {
    assert.throws(() => routesIn("{ for: 'session', method: 'GET', path: here, handle: f }", 'x.ts'), /x\.ts: a route whose path cannot be read/);
    const [added] = routesIn("[{ for: 'session', method: 'PUT', path: 'theme/{name}', label, handle: f }]", 'x.ts');
    assert.deepEqual(added, { method: 'PUT', path: 'theme/{name}', session: true, fromElsewhere: false });
    assert.deepEqual(unattended([...declaredRoutes(), added!]), ['PUT theme/{name}']);
    assert.equal(generatorOf(added!), null);
    const [draft] = fc.sample(generatorOfAny(added!).any, { numRuns: 1, seed: 1 });
    assert.ok(draft!.method === 'PUT' && draft!.path.startsWith('/console/theme/') && draft!.body !== null);
  });

  it('has exactly one generator for each route', () => {
    assert.deepEqual(unattended(declaredRoutes()), []);
    const names = declaredRoutes().map(routeName);
    assert.deepEqual(
      namedRoutes.filter((name) => !names.includes(name)),
      [],
    );
  });

  it('finds a route by its path, and the routes of /console/v1 in the OpenAPI document', () => {
    assert.equal(routeName(routeAt(declaredRoutes(), 'HEAD', '/console/robots/r-1/screen?id=2')!), 'GET robots/{robot}/screen');
    assert.equal(routeAt(declaredRoutes(), 'GET', '/consoles/session'), null);
    const paths = mountedRoutes(openApi).map(({ right }) => right.path);
    assert.ok(paths.includes(`/console/v1/robots/${placeholders.virtualRobot}/say`) && paths.includes('/console/v1/webhooks'), paths.join());
  });
});

describe("the second implementation of the console's access rules", () => {
  const endpoint: ConsoleEndpoint = { port: 1, host: '127.0.0.1:1', origin: 'http://127.0.0.1:1', cookie: 'perch_session', byInvitation: false };
  const credentials: SenderCredentials = {
    endpoint,
    secret: `ps_${'a'.repeat(43)}`,
    otherSecret: `ps_${'b'.repeat(43)}`,
    endedSecret: `ps_${'c'.repeat(43)}`,
    apiKey: `pk_${'d'.repeat(43)}`,
  };
  const away = (name: string, choice: Partial<SenderChoice>): End[] =>
    expectedRefusals(route(name), senderOf({ page: 0, cookie: 0, token: 0, ...choice }, credentials, false));
  const fault = (of: keyof SenderChoice): Partial<SenderChoice> => {
    for (let at = 0; ; at++) if (!senderOf({ page: 0, cookie: 0, token: 0, [of]: at }, credentials, false)[of].right) return { [of]: at };
  };

  it('accepts requests from our page with a session and its token, and no others', () => {
    assert.deepEqual(away('POST keys', {}), []);
    assert.deepEqual(away('POST keys', fault('page')), [forbidden]);
    assert.deepEqual(away('POST keys', fault('cookie')), [signedOut, forbidden]);
    assert.deepEqual(away('GET keys', fault('cookie')), [signedOut]);
    assert.deepEqual(away('POST keys', fault('token')), [forbidden]);
    assert.deepEqual(away('GET keys', fault('token')), []);
    assert.deepEqual(away('POST session', { ...fault('cookie'), ...fault('token') }), []);
    assert.deepEqual(away('POST session', fault('page')), [forbidden]);
    assert.deepEqual(away('GET oidc/callback', fault('page')), []);
  });

  it('accepts its https name and cookie, and no http page, when served by https', () => {
    const https: ConsoleEndpoint = { port: 1, host: 'perch.example', origin: 'https://perch.example', cookie: '__Host-perch', byInvitation: true };
    const of = (line: string) => [...pages(https), ...cookies({ ...credentials, endpoint: https })].find(({ lines }) => lines.includes(line));
    assert.equal(of('origin: https://perch.example')!.right, true);
    assert.equal(of('origin: http://perch.example')!.right, false);
    assert.equal(of(`cookie: __Host-perch=${credentials.secret}`)!.right, true);
    assert.equal(of(`cookie: perch_session=${credentials.secret}`)!.right, false);
  });
});

describe('the expected results of console bodies', () => {
  const ends = (kind: BodyKind, body: unknown): readonly End[] => kind.endsOf(body);
  const refused = (kind: BodyKind, body: unknown): string[] => ends(kind, body).flatMap(({ status, fields = [] }) => (status === 400 ? fields : []));

  it('the expected results of console bodies follow the wire types', () => {
    assert.deepEqual(refused(signUpBody, { email: 'a@b.example', password: 'too short' }), ['password']);
    assert.deepEqual(refused(signUpBody, { email: 'nobody', password }), ['email']);
    assert.deepEqual(refused(signUpBody, { email: 'a@b.example', password, role: 'admin' }), ['role']);
    assert.equal(ends(signUpBody, { email: 'a@b.example', password })[0], done[0]);
    assert.ok(refused(signInBodies[1]!, { link: 7 }).includes('link'));
    assert.deepEqual(refused(signInBodies[1]!, { link: placeholders.link }), []);
    assert.deepEqual(refused(signUpBody, { email: 'nobody' }), ['password', 'email']);
    assert.equal(
      ends(signInBodies[0]!, { email: placeholders.ownEmail, password: 'wrong' }).some(({ status }) => status === 401),
      true,
    );
    assert.equal(
      ends(signInBodies[0]!, { email: placeholders.ownEmail, password }).some(({ status }) => status === 401),
      false,
    );
    assert.equal(ends(passwordBody, { current: 'wrong', password })[0]!.status, 401);
    assert.deepEqual(refused(addRobotBodies[0]!, { virtual: false }), ['virtual']);
    assert.deepEqual(refused(changeRobotBody, { name: 'x'.repeat(65) }), ['name']);
    assert.deepEqual(refused(changeRobotBody, { name: 'a\nb' }), ['name']);
    assert.ok(refused(changeRobotBody, { volume_max: 101 }).includes('volume_max'));
    assert.ok(refused(changeRobotBody, { quiet_hours: { from: '07:00', to: '07:00' } }).includes('quiet_hours.to'));
    assert.deepEqual(refused(changeRobotBody, {}), ['']);
    assert.deepEqual(refused(addKeyBody, { name: 'x', robots: [placeholders.virtualRobot, placeholders.foreignRobot] }), ['robots[1]']);
    assert.deepEqual(refused(addKeyBody, { name: 'x', robots: '*', expires_at: '1970-01-01T00:00:00Z' }), ['expires_at']);
    assert.deepEqual(refused(addKeyBody, []), ['']);
  });

  it('the expected result of a sign-up requires a working invitation if sign-up is by invitation only', () => {
    assert.equal(endsByInvitation(done, JSON.stringify({ invitation: placeholders.invitation })), done);
    assert.deepEqual(
      endsByInvitation([...done, wrong('email')], '{}').map(({ status }) => status),
      [400, 403],
    );
  });

  it('the expected result of a console body depends on its encoding before its content', () => {
    assert.equal(endsOfBytes(Buffer.from('{"name":"x"}'.padEnd(16_384)), changeRobotBody), done);
    assert.equal(endsOfBytes(Buffer.from('{"name":"x"}'.padEnd(16_385)), changeRobotBody)[0]!.status, 413);
    assert.equal(endsOfBytes(Buffer.from([0x22, 0xff, 0x22]), changeRobotBody)[0]!.code, 'malformed_json');
    assert.deepEqual(endsOfBytes(Buffer.alloc(0), changeRobotBody), [wrong('')]);
  });
});

describe('a live stream of the console', () => {
  const begun = (records: string): string =>
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n${records.length.toString(16)}\r\n${records}\r\n`;

  it('parses chunked streams, and reports invalid records', () => {
    const right = streamIn(begun(': hello\n\nevent: robots\nid: 7\ndata: {"ok":true}\n\nevent: ro'))!;
    assert.match(right.text, /^: hello\n\nevent: robots\nid: 7\n/);
    assert.equal(streamProblem(right), null);
    assert.match(String(streamProblem(streamIn(begun('data: {"a\n\n'))!)), /no JSON/);
    assert.match(String(streamProblem(streamIn(begun('<html>\n\n'))!)), /a line of a stream/);
    assert.equal(streamIn('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n'), null);
  });
});

describe('a limit of parallel requests', () => {
  it('accepts exactly the allowed number of successes, and reports anything else', () => {
    assert.deepEqual(countProblems('x', [200, 401, 401], 200, 1, 1), []);
    for (const statuses of [
      [200, 200, 401],
      [401, 401],
      [200, 500],
      [200, 303],
    ])
      assert.equal(countProblems('x', statuses, 200, 1, 1).length, 1);
  });
});

describe('the limit of password attempts', () => {
  it('accepts exactly the allowed number of attempts, and reports anything else', () => {
    const ends = (made: number, held: number): string[] => [
      ...Array.from({ length: made }, () => 'wrong_credentials'),
      ...Array.from({ length: held }, () => 'too_many_attempts'),
    ];
    assert.deepEqual(limitProblems('x', ends(10, 8), 'wrong_credentials', 10), []);
    for (const [made, held] of [
      [11, 7],
      [9, 9],
      [18, 0],
    ] as const)
      assert.match(limitProblems('x', ends(made, held), 'wrong_credentials', 10)[0]!, /the bound is 10/);
    assert.equal(limitProblems('x', [...ends(10, 7), 'internal'], 'wrong_credentials', 10).length, 1);
  });
});
