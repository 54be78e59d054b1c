/** Robots that are shared with other accounts: what a guest reaches, what no one else does, and how fast it ends. */
import assert from 'node:assert/strict';
import { until, type EventStreamClient } from '@perch/testkit';
import { useGateway, useOwner, type Answer } from '../gateway-under-test.js';
import { hello } from '../test-link.js';
import { SessionClient } from './session-client.js';

const unknown = 'r-0000000000';

describe('sharing a robot on the web page', () => {
  const system = useGateway();
  const owner = useOwner(system);
  let page: SessionClient;
  let guest: SessionClient;
  let guestKey: string;
  let guestRobot: string;
  const streams: EventStreamClient[] = [];

  beforeEach(async () => {
    const other = await system.owner();
    [guestKey, guestRobot] = [other.apiKey, other.robot];
    page = await SessionClient.signIn(system, owner.account);
    guest = await SessionClient.signIn(system, other.account);
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  const emailOf = async ({ account }: { account: string }): Promise<string> => (await system.store.accounts.get(account))!.email;
  const failure = ({ status, body }: Answer): unknown[] => [status, body.ok, body.code];
  const act = (client: SessionClient, action: string, args: object = {}, robot = owner.robot): Promise<Answer> =>
    client.ask('POST', `v1/robots/${robot}/${action}`, args);
  const makeLink = async (permission: string): Promise<string> =>
    (await page.ask('POST', `robots/${owner.robot}/share-links`, { permission })).body.token;

  async function share(permission: 'watch' | 'use', client = guest): Promise<void> {
    const accepted = await client.ask('POST', 'shares', { token: await makeLink(permission) });
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  }
  async function open(client: SessionClient, query = ''): Promise<EventStreamClient> {
    const stream = await client.live(query);
    streams.push(stream);
    return stream;
  }
  const received = (stream: EventStreamClient, event: string, fits: (data: any) => boolean): Promise<unknown> =>
    until(() => stream.records.some((record) => record.event === event && fits(record.data)), {
      what: `a record ${event} that fits`,
    });

  /** Requests of the page that concern a robot, and what a guest may watch or use. */
  const watching: [string, string, object?][] = [
    ['GET', 'v1/robots/{robot}'],
    ['POST', 'v1/robots/{robot}/state', {}],
    ['GET', 'v1/robots/{robot}/events'],
    ['POST', 'v1/robots/{robot}/events', {}],
    ['GET', 'v1/robots/{robot}/screen'],
    ['GET', 'robots/{robot}'],
  ];
  const using: [string, string, object?][] = [
    ['POST', 'v1/robots/{robot}/face', { emotion: 'happy' }],
    ['POST', 'v1/robots/{robot}/stop', {}],
    ['POST', 'v1/robots/{robot}/scene', { actions: [{ action: 'face', emotion: 'sad' }] }],
    ['POST', 'v1/robots/{robot}/preview/show', { text: 'x' }],
  ];
  const owning: [string, string, object?][] = [
    ['PATCH', 'robots/{robot}', { name: 'Mine' }],
    ['PATCH', 'robots/{robot}', { labels: { a: '1' } }],
    ['PATCH', 'robots/{robot}', { volume_max: 3 }],
    ['DELETE', 'robots/{robot}'],
    ['POST', 'robots/{robot}/token', {}],
    ['GET', 'robots/{robot}/log'],
    ['GET', 'robots/{robot}/screens'],
    ['GET', 'robots/{robot}/screens/1'],
    ['GET', 'robots/{robot}/people'],
    ['POST', 'robots/{robot}/share-links', { permission: 'use' }],
  ];
  const nameOf = ([method, path]: [string, string, object?]): string => `${method} ${path}`;
  const send = (client: SessionClient, [method, path, body]: [string, string, object?], robot = owner.robot): Promise<Answer> =>
    client.ask(method, path.replace('{robot}', robot), body, { accept: 'application/json', 'x-request-id': 'the-same' });

  it('shows what a link offers, and lists the robot for who accepted it, with its owner and without labels and settings', async () => {
    await page.ask('PATCH', `robots/${owner.robot}`, { labels: { room: 'r7' }, volume_max: 40 });
    const made = await page.ask('POST', `robots/${owner.robot}/share-links`, { permission: 'watch' });
    assert.match(made.body.token, /^pg_[\w-]{53}$/);
    const { offer } = (await guest.ask('POST', 'shares/find', { token: made.body.token })).body;
    const by = await emailOf(owner);
    assert.deepEqual(offer, { robot: { id: owner.robot, name: 'Desk' }, by, permission: 'watch', yours: false });
    assert.equal((await page.ask('POST', 'shares/find', { token: made.body.token })).body.offer.yours, true);
    assert.deepEqual(failure(await page.ask('POST', 'shares', { token: made.body.token })), [409, false, 'conflict']);

    const stream = await open(guest);
    await received(stream, 'robots', ({ shared }) => shared.length === 0);
    const { robot } = (await guest.ask('POST', 'shares', { token: made.body.token })).body;
    assert.deepEqual([robot.id, robot.name, robot.online, robot.shared], [owner.robot, 'Desk', true, { by, permission: 'watch' }]);
    assert.ok(!/labels|volume_max|quiet_hours|time_zone/.test(JSON.stringify(robot)));
    await received(stream, 'robots', ({ shared }) => shared[0]?.id === owner.robot);
    const list = (await guest.ask('GET', 'robots')).body;
    assert.deepEqual(
      [list.robots.map(({ id }: any) => id), list.total, list.shared],
      [[guestRobot], 1, [{ ...robot, last_seen: list.shared[0].last_seen }]],
    );
    const seen = (await page.ask('GET', `robots/${owner.robot}/people`)).body;
    assert.deepEqual(
      seen.people.map(({ id, email, permission }: any) => [id, email, permission]),
      [[guest.account, await emailOf(guest), 'watch']],
    );
    assert.deepEqual(seen.links, []);
    assert.deepEqual(failure(await guest.ask('POST', 'shares', { token: made.body.token })), [404, false, 'not_found'], 'a link works once');
  });

  it('a stranger, also one with an unaccepted link, is answered as for a robot that does not exist', async () => {
    const before = system.link.commands.length;
    await guest.ask('POST', 'shares/find', { token: await makeLink('use') });
    for (const request of [...watching, ...using, ...owning]) {
      const [answer, reference] = [await send(guest, request), await send(guest, request, unknown)];
      assert.deepEqual([answer.status, answer.body], [404, reference.body], nameOf(request));
    }
    for (const query of [owner.robot, unknown]) assert.equal((await guest.ask('GET', `live?robot=${query}`)).status, 404);
    assert.equal(system.link.commands.length, before);
  });

  it('who may watch reads state, events, screen and the live stream, and is refused every action with 403', async () => {
    await share('watch');
    for (const request of watching) assert.equal((await send(guest, request)).status, 200, nameOf(request));
    const before = system.link.commands.length;
    for (const request of using) assert.deepEqual(failure(await send(guest, request)), [403, false, 'scope_missing'], nameOf(request));
    for (const request of owning) assert.deepEqual(failure(await send(guest, request)), [404, false, 'unknown_robot'], nameOf(request));
    assert.equal(system.link.commands.length, before);
    const stream = await open(guest, `?robot=${owner.robot}`);
    assert.equal(stream.headers.get('perch-account'), guest.account);
    await received(stream, 'twin', ({ online }) => online === true);
    await system.link.event(owner.robot, 'pat', { ms: 3 });
    await received(stream, 'event', ({ name }) => name === 'pat');
  });

  it("who may use it acts, stops and runs scenes, and reaches nothing that is the owner's alone", async () => {
    await share('use');
    for (const request of [...watching, ...using]) assert.equal((await send(guest, request)).status, 200, nameOf(request));
    for (const request of owning) assert.deepEqual(failure(await send(guest, request)), [404, false, 'unknown_robot'], nameOf(request));
    const second = (await system.store.robots.create({ account: owner.account, name: 'Second' })).robot;
    for (const request of [...watching, ...using]) assert.equal((await send(guest, request, second)).status, 404, nameOf(request));
    const hook = { url: 'https://hooks.example.com/', robots: [owner.robot] };
    assert.deepEqual(failure(await guest.ask('POST', 'v1/webhooks', hook)), [400, false, 'bad_argument']);
    assert.deepEqual(failure(await guest.ask('POST', 'keys', { name: 'k', robots: [owner.robot] })), [400, false, 'bad_argument']);
    const person = `robots/${owner.robot}/people/${guest.account}`;
    assert.equal((await guest.ask('PATCH', person, { permission: 'use' })).status, 404);
    assert.equal((await guest.ask('DELETE', person)).status, 404);
    const { name, labels } = (await page.ask('GET', `robots/${owner.robot}`)).body.robot;
    assert.deepEqual([name, labels], ['Desk', {}]);
  });

  it('a calibration of the head, which the robot keeps, is for the owner and the keys of its account, in a scene too', async () => {
    await system.link.take(owner.robot, owner.token, { ...hello, commands: [{ name: 'calibrate_head', class: 'program' }] });
    await share('use');
    const calibration = { command: 'calibrate_head' };
    const scene = {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'command', ...calibration },
      ],
    };
    for (const [action, args] of [
      ['command', calibration],
      ['scene', scene],
    ] as const) {
      const { status, body } = await act(guest, action, args);
      assert.deepEqual([status, body.code], [403, 'scope_missing'], action);
      assert.match(body.error, /owner/);
    }
    assert.equal(system.link.commands.length, 0);
    assert.equal((await act(page, 'command', calibration)).status, 200);
    assert.equal((await system.act(owner, 'command', calibration)).status, 200);
    assert.deepEqual(
      system.link.commands.map(({ command }) => command.args),
      [1, 2].map(() => ({ command: 'calibrate_head', args: {} })),
    );
  });

  it('an API key of a guest does not reach the robot', async () => {
    await share('use');
    for (const [method, path, body] of [...watching, ...using].filter(([, path]) => path.startsWith('v1/'))) {
      const answer = await system.ask(method, `/${path.replace('{robot}', owner.robot)}`, { apiKey: guestKey, ...(body && { body }) });
      assert.deepEqual(failure(answer), [404, false, 'unknown_robot'], `${method} ${path}`);
    }
    const { robots } = (await system.ask('GET', '/v1/robots', { apiKey: guestKey })).body;
    assert.deepEqual(
      robots.map(({ id }: any) => id),
      [guestRobot],
    );
  });

  it("calls of a guest are limited for all sessions of the guest's account and cost the owner nothing", async () => {
    await share('use');
    const answers = await Promise.all(Array.from({ length: 60 }, () => act(guest, 'face', { emotion: 'sad' })));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && answers.some(({ status }) => status === 200), `${refused.length} refused`);
    const { status, headers } = await act(page, 'face', { emotion: 'happy' });
    assert.equal(status, 200);
    assert.match(headers.get('ratelimit')!, /r=2[0-9];/);
  });

  it('removing a person ends their calls and streams within a second, and changing a permission takes effect at once', async () => {
    await share('use');
    const stream = await open(guest, `?robot=${owner.robot}`);
    await received(stream, 'robots', ({ shared }) => shared.length === 1);
    const person = `robots/${owner.robot}/people/${guest.account}`;
    system.link.arms = true;
    const asking = act(guest, 'ask', { question: 'Q', answers: ['a', 'b'] });
    await until(() => system.link.waits.length > 0, { what: 'the question' });
    assert.equal((await page.ask('PATCH', person, { permission: 'watch' })).body.person.permission, 'watch');
    assert.deepEqual(failure(await asking), [404, false, 'unknown_robot'], 'the open question ends');
    assert.equal((await act(guest, 'face', { emotion: 'sad' })).status, 403);
    assert.equal((await guest.ask('GET', `v1/robots/${owner.robot}`)).status, 200);
    const polling = guest.ask(
      'GET',
      `v1/robots/${owner.robot}/events?after=${(await guest.ask('GET', `v1/robots/${owner.robot}/events`)).body.last_seq}&seconds=60`,
    );

    assert.deepEqual((await page.ask('DELETE', person)).body, { ok: true });
    assert.equal((await polling).status, 404);
    await received(stream, 'end', ({ code }) => code === 'unknown_robot');
    for (const request of [...watching, ...using]) assert.equal((await send(guest, request)).status, 404, nameOf(request));
    assert.deepEqual((await guest.ask('GET', 'robots')).body.shared, []);
    assert.equal((await page.ask('DELETE', person)).status, 404);
  });

  it('a guest can leave, and loses the robot when its owner removes it', async () => {
    await share('watch');
    assert.deepEqual((await guest.ask('DELETE', `shares/${owner.robot}`)).body, { ok: true });
    assert.equal((await guest.ask('GET', `v1/robots/${owner.robot}`)).status, 404);
    assert.equal((await guest.ask('DELETE', `shares/${owner.robot}`)).status, 404);
    assert.deepEqual((await page.ask('GET', `robots/${owner.robot}/people`)).body.people, []);
    await share('use');
    await page.ask('DELETE', `robots/${owner.robot}`);
    assert.deepEqual((await guest.ask('GET', 'robots')).body.shared, []);
    for (const request of watching) assert.equal((await send(guest, request)).status, 404, nameOf(request));
  });

  it("the owner's activity names who did what, and the guest's does not have it", async () => {
    await share('use');
    assert.equal((await act(guest, 'face', { emotion: 'happy' })).status, 200);
    const person = `robots/${owner.robot}/people/${guest.account}`;
    await page.ask('PATCH', person, { permission: 'watch' });
    for (let i = 0; i < 3; i++) assert.equal((await act(guest, 'face', { emotion: 'sad' })).status, 403);
    await page.ask('DELETE', person);
    const email = await emailOf(guest);
    const entries = async (client: SessionClient): Promise<any[]> => (await client.ask('GET', 'v1/activity')).body.activity;
    await until(async () => (await entries(page)).some(({ outcome }) => outcome === 'scope_missing'), { what: 'the refused calls', everyMs: 300 });
    const shown = (await entries(page)).map(({ action, outcome, guest: who, via, robot }) => [action, outcome, who, via, robot]);
    for (const entry of [
      ['share_link_create', 'ok', null, 'page', owner.robot],
      ['share_accept', 'ok', email, 'page', owner.robot],
      ['face', 'ok', email, 'page', owner.robot],
      ['share_change', 'ok', email, 'page', owner.robot],
      ['face', 'scope_missing', email, 'page', owner.robot],
      ['share_remove', 'ok', email, 'page', owner.robot],
    ])
      assert.ok(
        shown.some((each) => JSON.stringify(each) === JSON.stringify(entry)),
        `${JSON.stringify(entry)} in ${JSON.stringify(shown)}`,
      );
    assert.deepEqual(
      (await entries(guest)).filter(({ robot }) => robot === owner.robot),
      [],
    );
  });

  it('names the field of a wrong body, and refuses the 21st person with 409', async () => {
    const bad = await page.ask('POST', `robots/${owner.robot}/share-links`, { permission: 'own' });
    assert.deepEqual([...failure(bad), bad.body.field], [400, false, 'bad_argument', 'permission']);
    assert.deepEqual((await guest.ask('POST', 'shares', { token: 7 })).body.field, 'token');
    for (let i = 0; i < 20; i++) await makeLink('watch');
    const full = await page.ask('POST', `robots/${owner.robot}/share-links`, { permission: 'watch' });
    assert.deepEqual(failure(full), [409, false, 'conflict']);
    const { links } = (await page.ask('GET', `robots/${owner.robot}/people`)).body;
    assert.equal(links.length, 20);
    assert.equal((await guest.ask('DELETE', `robots/${owner.robot}/share-links/${links[0].id}`)).status, 404);
    assert.equal((await page.ask('DELETE', `robots/${owner.robot}/share-links/${links[0].id}`)).status, 200);
    assert.equal((await page.ask('POST', `robots/${owner.robot}/share-links`, { permission: 'watch' })).status, 200);
  });
});
