import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { lookup, type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { dnsResolver } from '../../src/http/host-names.js';

type Family = 'A' | 'AAAA';
/** Returns the addresses as bytes; null: the name does not exist; undefined: no answer. */
type Zone = (name: string, family: Family) => number[][] | null | undefined;

const v4 = [93, 184, 216, 34];
const v6 = [0x26, 0x06, 0x28, 0, 2, 0x20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1];

describe('dnsResolver', () => {
  let server: Socket | null = null;
  afterEach(() => {
    server?.close();
    server = null;
  });

  async function serve(zone: Zone): Promise<string> {
    const socket = (server = createSocket('udp4'));
    socket.on('message', (query, { port, address }) => {
      const answer = answerTo(query, zone);
      if (answer !== null) socket.send(answer, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return `127.0.0.1:${socket.address().port}`;
  }

  const resolved = (server: string, host = 'pictures.example', timeoutMs = 2000): Promise<LookupAddress[]> =>
    new Promise((resolve, reject) =>
      dnsResolver({ servers: [server], timeoutMs })(host, (error, addresses) => (error === null ? resolve(addresses) : reject(error))),
    );

  it('returns the addresses of both families, IPv4 first', async () => {
    const server = await serve((_, family) => (family === 'A' ? [v4] : [v6]));
    assert.deepEqual(await resolved(server), [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
  });

  it('returns the addresses of one family if the name has none of the other', async () => {
    const server = await serve((_, family) => (family === 'A' ? [] : [v6]));
    assert.deepEqual(await resolved(server), [{ address: '2606:2800:220:1::1', family: 6 }]);
  });

  it('asks for the name as it is, without search domains', async () => {
    const names = new Set<string>();
    const server = await serve((name) => (names.add(name), null));
    await assert.rejects(resolved(server, 'redis.perch'), { code: 'ENOTFOUND' });
    assert.deepEqual([...names], ['redis.perch']);
  });

  it('fails with ENODATA for a name without addresses, and with ETIMEOUT if the server answers for one family only that it has none', async () => {
    const empty = await serve(() => []);
    await assert.rejects(resolved(empty), { code: 'ENODATA' });
    server?.close();
    const half = await serve((_, family) => (family === 'A' ? [] : undefined));
    await assert.rejects(resolved(half, 'pictures.example', 100), { code: 'ETIMEOUT' });
  });

  it('answers for localhost itself', async () => {
    const server = await serve(() => assert.fail('the name server was asked'));
    for (const host of ['localhost', 'a.localhost', 'LOCALHOST.'])
      assert.deepEqual(await resolved(server, host), [{ address: '127.0.0.1', family: 4 }]);
  });

  it('delays no other look-up while a name server does not answer, and gives up after its time', async () => {
    const server = await serve(() => undefined);
    const order: string[] = [];
    const silent = Array.from({ length: 40 }, async () => {
      await assert.rejects(resolved(server, 'pictures.example', 300), { code: 'ETIMEOUT' });
      order.push('gave up');
    });
    await new Promise<void>((done, fail) => lookup('127.0.0.1', (error) => (error === null ? done() : fail(error))));
    await new Promise<void>((done, fail) => lookup('localhost', (error) => (error === null ? done() : fail(error))));
    order.push('looked up');
    await Promise.all(silent);
    assert.equal(order[0], 'looked up');
  });
});

/** RFC 1035. */
function answerTo(query: Buffer, zone: Zone): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const family = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A';
  const found = zone(labels.join('.'), family);
  if (found === undefined) return null;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(found === null ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found?.length ?? 0, 6);
  const records = (found ?? []).map((bytes) => Buffer.from([0xc0, 12, 0, family === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]));
  return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
}
