import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { until } from '@perch/testkit';
import { useGateway, useOwner } from './gateway-under-test.js';
import { hello } from './test-link.js';

describe('GET /v1/robots', () => {
  const system = useGateway();
  const owner = useOwner(system, null);

  const list = (query = '', apiKey = owner.apiKey) => system.ask('GET', `/v1/robots${query}`, { apiKey });
  const idsOf = (robots: { id: string }[]): string[] => robots.map(({ id }) => id);

  /** Adds robots that have connected once, and returns all ids of the account in order. */
  async function addRobots(count: number, fields: (i: number) => Record<string, string> = () => ({})): Promise<string[]> {
    const ids = Array.from({ length: count }, () => `r-${randomBytes(5).toString('hex')}`);
    const { commands } = system.store.connections;
    await Promise.all(
      ids.map((id, i) => commands.hset(`perch:{${id}}`, { account: owner.account, created_at: 1, model: 'desk', firmware: '1.0', ...fields(i) })),
    );
    await commands.sadd(`perch:{${owner.account}}:robots`, ...ids);
    return [...ids, owner.robot].toSorted();
  }

  it('answers every robot once, ascending by id, with next null when limit is omitted', async () => {
    const ids = await addRobots(250);
    const { status, body } = await list();
    assert.deepEqual([status, Object.keys(body), idsOf(body.robots), body.next], [200, ['ok', 'robots', 'next'], ids, null]);
  });

  it('answers pages that contain every robot once while robots are added and removed in between', async () => {
    const ids = await addRobots(120);
    const first = (await list('?limit=50')).body;
    assert.deepEqual([idsOf(first.robots), first.next], [ids.slice(0, 50), ids[49]]);
    // The last robot of the page, and one before it.
    for (const id of [ids[49]!, ids[3]!]) await system.store.robots.remove(owner.account, id);
    const second = (await list(`?limit=50&after=${first.next}`)).body;
    assert.deepEqual([idsOf(second.robots), second.next], [ids.slice(50, 100), ids[99]]);
    const last = (await list(`?limit=50&after=${second.next}`)).body;
    assert.deepEqual([idsOf(last.robots), last.next], [ids.slice(100), null]);
  });

  it('answers next null for a page that ends with the last robot', async () => {
    const ids = await addRobots(199);
    const { body } = await list('?limit=200');
    assert.deepEqual([body.robots.length, body.next], [200, null]);
    assert.deepEqual((await list(`?limit=1&after=${ids.at(-2)}`)).body, { ok: true, robots: body.robots.slice(-1), next: null });
    assert.deepEqual((await list(`?limit=1&after=${ids.at(-1)}`)).body, { ok: true, robots: [], next: null });
  });

  it('answers only robots that are online or offline, and only those of one firmware, up to limit', async () => {
    const ids = await addRobots(230, (i) => ({ firmware: i % 100 === 0 ? '2.0 beta' : '1.0' }));
    await system.link.take(owner.robot, owner.token);
    assert.deepEqual(idsOf((await list('?online=true')).body.robots), [owner.robot]);
    assert.deepEqual(
      idsOf((await list('?online=false')).body.robots),
      ids.filter((id) => id !== owner.robot),
    );
    const beta = (await list('?firmware=2.0%20beta')).body.robots as { id: string; firmware: string }[];
    assert.deepEqual([beta.length, new Set(beta.map(({ firmware }) => firmware))], [3, new Set(['2.0 beta'])]);
    const first = (await list('?firmware=2.0+beta&limit=2')).body;
    assert.deepEqual([idsOf(first.robots), first.next], [idsOf(beta.slice(0, 2)), beta[1]!.id]);
    assert.deepEqual((await list(`?firmware=2.0+beta&limit=2&after=${first.next}`)).body, { ok: true, robots: beta.slice(2), next: null });
    assert.deepEqual((await list('?firmware=2.0&online=true')).body.robots, []);
    await system.link.release(owner.robot, 'away');
  });

  it('answers only robots that have every label of the query, in pages, and includes the labels in list and state', async () => {
    const ids = (await addRobots(730)).filter((id) => id !== owner.robot);
    const labelsOf = (i: number): string => `floor=${i % 2};note=a=b, c;room=r${i % 7}`;
    await system.store.connections.commands.hset(`perch:{${owner.account}}:labels`, Object.fromEntries(ids.map((id, i) => [id, labelsOf(i)])));
    const inRoom = ids.filter((_, i) => i % 7 === 3);
    for (const query of ['?label=room=r3', '?label=room%3Dr3', '?label=room=r3&label=note%3Da%3Db,+c']) {
      const { status, body } = await list(query);
      assert.deepEqual([status, idsOf(body.robots), body.next], [200, inRoom, null], query);
      assert.deepEqual(body.robots[0].labels, { floor: String(ids.indexOf(inRoom[0]!) % 2), note: 'a=b, c', room: 'r3' });
    }
    const both = ids.filter((_, i) => i % 7 === 3 && i % 2 === 1);
    const first = (await list('?label=room=r3&label=floor=1&limit=10')).body;
    assert.deepEqual([idsOf(first.robots), first.next], [both.slice(0, 10), both[9]]);
    assert.deepEqual(idsOf((await list(`?label=room=r3&label=floor=1&after=${first.next}`)).body.robots), both.slice(10));
    for (const none of ['?label=room=r33', '?label=room=', '?label=room=r3&label=room=r4', '?label=room=r3&online=true', '?label=room=r3&firmware=9'])
      assert.deepEqual((await list(none)).body.robots, [], none);

    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, robots: [inRoom[0]!, both[1]!, owner.robot] });
    assert.deepEqual(idsOf((await list('?label=room=r3', apiKey)).body.robots), [...new Set([inRoom[0]!, both[1]!])].toSorted());

    await system.store.robotLabels.change(owner.account, owner.robot, { set: { room: 'r9', empty: '' } });
    const { body } = await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
    assert.deepEqual(body.labels, { empty: '', room: 'r9' });
    assert.deepEqual(idsOf((await list('?label=empty=')).body.robots), [owner.robot]);
  });

  it('answers 400 and names label for a label that is not valid, and for more than 16', async () => {
    const wrong = [
      '',
      'room',
      '=r7',
      'Room=r7',
      'ro%20om=r7',
      `${'k'.repeat(33)}=1`,
      `room=${'v'.repeat(65)}`,
      'room=a%00b',
      'room=a;b',
      'room=%20r7',
    ];
    for (const label of wrong) {
      const { status, body } = await list(`?label=${label}`);
      assert.deepEqual([status, body.code, body.field], [400, 'bad_argument', 'label'], label);
    }
    const many = Array.from({ length: 17 }, (_, i) => `label=k${i}=1`).join('&');
    assert.deepEqual((await list(`?${many}`)).body.field, 'label');
    assert.equal((await list(`?label=${'k'.repeat(32)}=${encodeURIComponent('🤖'.repeat(64))}`)).status, 200);
  });

  it('lists a robot whose hello was written by a later release without commands, counts the unreadable record, and answers the others', async () => {
    const hello = { model: 'desk', firmware: '1.0', commands: [{ name: 'wave', class: 'program', description: 'Waves.' }] };
    const forms = [{ v: 99, ...hello }, hello];
    const ids = await addRobots(forms.length, (i) => ({ hello: JSON.stringify(forms[i]), name: i === 0 ? 'later' : 'ours' }));
    const { unreadable } = system.store.connections.forms;
    const before = unreadable.get('robot_hello') ?? 0;
    const { status, body } = await list();
    assert.deepEqual([status, idsOf(body.robots)], [200, ids]);
    const commandsOf = (robot: string): string[] =>
      (body.robots as { name: string; commands: { name: string }[] }[]).find(({ name }) => name === robot)!.commands.map(({ name }) => name);
    assert.deepEqual([commandsOf('later'), commandsOf('ours')], [[], ['wave']]);
    assert.equal(unreadable.get('robot_hello'), before + 1);
  });

  it('answers the features that a robot reported, also while it is away, and none of a robot that never connected', async () => {
    const { robot } = await system.store.robots.create({ account: owner.account });
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['touch', 'screen', 'of a later release'] });
    const featuresOf = async (id: string): Promise<unknown> => {
      const { body } = await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
      return body.robots.find((listed: { id: string }) => listed.id === id).features;
    };
    assert.deepEqual([await featuresOf(owner.robot), await featuresOf(robot)], [['screen', 'touch'], undefined]);
    assert.deepEqual((await system.act(owner, 'state')).body.features, ['screen', 'touch']);
    await system.link.release(owner.robot, 'away');
    assert.deepEqual(await featuresOf(owner.robot), ['screen', 'touch']);
  });

  it('answers only the robots that the key reaches', async () => {
    const ids = await addRobots(150);
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, robots: [ids[140]!, ids[7]!] });
    assert.deepEqual(idsOf((await list('', apiKey)).body.robots), [ids[7], ids[140]]);
    const { body } = await list('?limit=1', apiKey);
    assert.deepEqual([idsOf(body.robots), body.next], [[ids[7]], ids[7]]);
    assert.deepEqual(idsOf((await list(`?limit=1&after=${ids[8]}`, apiKey)).body.robots), [ids[140]]);
  });

  it('rejects an invalid limit, after, online or firmware with a 400 that names it, and ignores unknown arguments', async () => {
    const wrong: [field: string, queries: string[]][] = [
      ['limit', ['limit=0', 'limit=1001', 'limit=-1', 'limit=x', 'limit=', 'limit=1.5', 'limit=1e2', 'limit=1&limit=1']],
      ['after', ['after=', 'after=7', 'after=r-1', 'after=r-7K2M9QX4TB', 'after=r-7k2m9qx4tb%0A', 'after=r-7k2m9qx4tb&after=r-7k2m9qx4tb']],
      ['online', ['online=', 'online=1', 'online=True', 'online=yes']],
      ['firmware', [`firmware=${'x'.repeat(65)}`, 'firmware=a&firmware=a']],
    ];
    for (const [field, queries] of wrong) {
      const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
      for (const query of queries) {
        const { status, body } = await list(`?${query}`, apiKey);
        assert.deepEqual([status, body.code, body.field], [400, 'bad_argument', field], query);
        assert.ok(body.error.startsWith(`${field}: `), body.error);
      }
    }
    const { status, body } = await list('?x=1&x=2&Limit=0');
    assert.deepEqual([status, idsOf(body.robots)], [200, [owner.robot]]);
  });

  it('answers HEAD without a body, and with 400 when GET does', async () => {
    const head = async (query: string): Promise<[number, string]> => {
      const response = await fetch(`${system.base}/v1/robots${query}`, { method: 'HEAD', headers: { authorization: `Bearer ${owner.apiKey}` } });
      return [response.status, await response.text()];
    };
    assert.deepEqual(
      [await head('?limit=1'), await head('?limit=0')],
      [
        [200, ''],
        [400, ''],
      ],
    );
  });

  it('stops reading robots while the client does not read the response, and sends the rest when it does', async () => {
    // A list of about 12 MB exceeds the socket buffers.
    const hello = JSON.stringify({ commands: [{ name: 'c', class: 'program', description: 'x'.repeat(6000) }] });
    const ids = await addRobots(2000, () => ({ hello }));
    let read = 0;
    const { robotList } = system.store;
    const forProgram = robotList.forProgram.bind(robotList);
    robotList.forProgram = async function* (...range) {
      for await (const slice of forProgram(...range)) {
        read += slice.length;
        yield slice;
      }
    };
    try {
      const { hostname, port } = new URL(system.base);
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.write(`GET /v1/robots HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${owner.apiKey}\r\nConnection: close\r\n\r\n`);
      let before = -1;
      await until(
        () => {
          const same = read > 0 && read === before;
          before = read;
          return same;
        },
        { everyMs: 500, what: 'the gateway to stop reading' },
      );
      assert.ok(read < ids.length, `${read} robots were read`);
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
      assert.equal(read, ids.length);
      assert.equal(text.match(/"id":"r-/g)?.length, ids.length);
      assert.match(text.slice(-60), /\],"next":null\}\r\n.*0\r\n\r\n$/s);
    } finally {
      robotList.forProgram = forProgram;
    }
  });
});
