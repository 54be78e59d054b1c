/** Pictures that are not in the body: fetched from an address, or uploaded before. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '@perch/schema';
import { until } from '@perch/testkit';
import { pngBase64, useGateway, useOwner, type Answer } from './gateway-under-test.js';

const png = Buffer.from(pngBase64, 'base64');
const sha = createHash('sha256').update(png).digest('hex');
/** One pixel, followed by bytes that make it large. */
const large = Buffer.concat([png, Buffer.alloc(1_900_000)]);

describe('pictures that are not in the body', () => {
  const system = useGateway({ imageAddresses: 'any' });
  const owner = useOwner(system);
  let server: Server | null = null;

  afterEach(async () => {
    if (server === null) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    server = null;
  });

  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  const upload = (body: Buffer | string, type = 'image/png', apiKey = owner.apiKey): Promise<Answer> =>
    system.ask('POST', '/v1/pictures', { apiKey, body, headers: { 'content-type': type } });
  const failure = ({ status, body }: Answer): unknown[] => [status, body.code, body.field];
  const lastScene = (): { boxes: { upload: string }[] } => system.drawn.at(-1)!.scene as never;

  describe('at an address', () => {
    it('pictures at an address are fetched and shown by show, menu and clickmap', async () => {
      const url = await serve((_, response) => response.end(png));
      assert.equal((await system.act(owner, 'show', { image: url })).status, 200);
      assert.equal(lastScene().boxes[0]!.upload, sha);
      const menu = await system.act(owner, 'menu', { items: ['a', { image: `${url}1` }, { image: pngBase64 }], timeout_s: 0.1 });
      assert.equal(menu.body.outcome, 'timed_out');
      const regions = [{ id: 'a', rect: [0, 0, 10, 10] }];
      assert.equal((await system.act(owner, 'clickmap', { regions, image: url, timeout_s: 0.1 })).body.outcome, 'timed_out');
    });

    it('a picture at an address is fetched anew by each call, and drawn once while it is the same', async () => {
      let requests = 0;
      const url = await serve((_, response) => {
        requests++;
        response.end(png);
      });
      const before = system.drawn.length;
      for (let i = 0; i < 3; i++) await system.act(owner, 'show', { image: url, background: '#123456' });
      assert.deepEqual([requests, system.drawn.length - before], [3, 1]);
    });

    it('a picture that cannot be fetched is answered with 400 image_unreachable, naming argument and cause, and nothing is drawn', async () => {
      const url = await serve((_, response) => response.writeHead(404).end());
      const before = system.drawn.length;
      const show = await system.act(owner, 'show', { image: url });
      assert.deepEqual(failure(show), [400, 'image_unreachable', 'image']);
      assert.equal(show.body.error, 'image: the picture cannot be fetched. The server answered 404.');
      const menu = await system.act(owner, 'menu', { items: ['a', { label: 'b', image: url }] });
      assert.deepEqual(failure(menu), [400, 'image_unreachable', 'items[1].image']);
      assert.equal(system.drawn.length, before);
    });

    it('a scene fetches a picture when its action begins; a failure contains the earlier results', async () => {
      const url = await serve((_, response) => response.writeHead(404).end());
      const { status, body } = await system.act(owner, 'scene', {
        actions: [
          { action: 'face', emotion: 'happy' },
          { action: 'show', image: url },
        ],
      });
      assert.deepEqual([status, body.code, body.field, body.results], [400, 'image_unreachable', 'actions[1].image', [{ ok: true }]]);
    });

    it('the fetch of a picture ends when the caller disconnects', async () => {
      const requests: IncomingMessage[] = [];
      const url = await serve((request) => requests.push(request));
      const abort = new AbortController();
      const calling = system.act(owner, 'show', { image: url }, abort.signal).catch(() => null);
      await until(() => requests.length === 1, { what: 'the fetch to begin' });
      abort.abort();
      await calling;
      await until(() => requests[0]!.destroyed, { what: 'the fetch to end' });
    });

    it('pictures from slow servers delay at most other pictures of the same account, and no other account', async () => {
      let slowBegun = 0;
      const url = await serve((request, response) => {
        if (request.url !== '/slow') return response.end(png);
        slowBegun += 1;
        return response.write(png.subarray(0, 8));
      });
      const other = await system.ownerOnline();
      const share = limits.picture.callBytesMax / limits.picture.bytesMax;
      let slowEnded = 0;
      const slow = Array.from({ length: share }, () => system.act(owner, 'show', { image: `${url}slow` }).finally(() => (slowEnded += 1)));
      await until(() => slowBegun === share, { what: 'all slow fetches to begin' });
      assert.equal((await system.act(other, 'show', { image: url })).status, 200);
      assert.equal((await system.act(owner, 'show', { image: pngBase64 })).status, 200);
      assert.equal(slowEnded, 0);
      const waiting = system.act(owner, 'show', { image: url });
      for (const answer of await Promise.all(slow)) {
        assert.deepEqual(failure(answer), [400, 'image_unreachable', 'image']);
        assert.match(answer.body.error, /did not send it within 5 s/);
      }
      // It waited for memory that the slow ones held, which end at about the time at which it gives up.
      const { status, body } = await waiting;
      assert.ok(status === 200 || body.code === 'busy', JSON.stringify(body));
    });

    it('pictures at addresses may have 8 MB together in one call; more is rejected', async () => {
      const url = await serve((_, response) => response.end(large));
      const items = Array.from({ length: 5 }, (_, i) => ({ image: `${url}${i}` }));
      const { status, body } = await system.act(owner, 'menu', { items });
      assert.deepEqual([status, body.code], [400, 'bad_argument']);
      assert.match(body.error, /8,388,608 bytes together/);
    });
  });

  describe('uploaded before', () => {
    it('uploaded pictures are shown by their id wherever a picture is accepted', async () => {
      const { status, body } = await upload(png);
      assert.equal(status, 200);
      const { picture, expires_at: expiresAt, ...rest } = body;
      assert.deepEqual(rest, { ok: true, format: 'png', w: 1, h: 1, bytes: png.length });
      const leftMs = Date.parse(expiresAt) - system.store.clock.now();
      assert.ok(leftMs > 86_000_000 && leftMs <= 86_400_000, expiresAt);
      assert.equal((await system.act(owner, 'show', { image: picture })).status, 200);
      assert.equal(lastScene().boxes[0]!.upload, sha);
      assert.equal((await system.act(owner, 'menu', { items: ['a', { image: picture }], timeout_s: 0.1 })).status, 200);
      const regions = [{ id: 'a', rect: [0, 0, 10, 10] }];
      assert.equal((await system.act(owner, 'clickmap', { regions, image: picture, timeout_s: 0.1 })).status, 200);
      assert.equal((await system.act(owner, 'scene', { actions: [{ action: 'show', image: picture }] })).status, 200);
    });

    it('an upload gets the same id as bytes with any image type and as base64 in JSON', async () => {
      const ids = new Set<string>();
      for (const [body, type] of [
        [png, 'image/png'],
        [png, 'image/jpeg; q=1'],
        [png, 'IMAGE/whatever'],
        [JSON.stringify({ image: pngBase64 }), 'application/json'],
        [JSON.stringify({ image: `data:image/png;base64,${pngBase64}` }), 'application/json'],
      ] as const) {
        const answer = await upload(body as string, type);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        ids.add(answer.body.picture);
      }
      assert.equal(ids.size, 1);
    });

    it('uploaded pictures are unknown to other accounts, and under variants of their id', async () => {
      const { picture } = (await upload(png)).body;
      const other = await system.ownerOnline();
      const refused = await system.act(other, 'show', { image: picture });
      assert.deepEqual(failure(refused), [400, 'bad_picture', 'image']);
      assert.match(refused.body.error, new RegExp(`no picture ${picture}; it may have expired`));
      for (const image of [picture.toUpperCase(), ` ${picture}`, `${picture}\n`, `${picture}x`]) {
        assert.equal((await system.act(owner, 'show', { image })).body.code, 'bad_picture', image);
      }
    });

    it('the id of an expired upload is answered with 400, naming the id', async () => {
      const { picture } = (await upload(png)).body;
      await system.store.connections.commands.del(`perch:{${owner.account}}:picture:${picture}`);
      const menu = await system.act(owner, 'menu', { items: ['a', { image: picture }] });
      assert.deepEqual(failure(menu), [400, 'bad_picture', 'items[1].image']);
      assert.match(menu.body.error, new RegExp(picture));
    });

    it('uploads are rejected if they are not a JPEG or PNG, too large, or not a picture at all', async () => {
      assert.deepEqual(failure(await upload(Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'), 'image/webp')), [400, 'bad_picture', 'image']);
      assert.match((await upload(Buffer.from('GIF89a\x01\0'), 'image/gif')).body.error, /this is GIF/);
      assert.deepEqual(failure(await upload(png.subarray(0, 12))), [400, 'bad_picture', 'image']);
      const wide = Buffer.from(png);
      wide.writeUInt32BE(4097, 16);
      assert.match((await upload(wide)).body.error, /4097 x 1 px; at most 4096/);
      assert.deepEqual(failure(await upload('', 'image/png')), [400, 'bad_argument', undefined]);
      assert.deepEqual(failure(await upload('{}', 'application/json')), [400, 'bad_argument', 'image']);
      assert.deepEqual(failure(await upload('{"image":"https://example.com/a.png"}', 'application/json')), [400, 'bad_picture', 'image']);
      assert.deepEqual(failure(await upload(png, 'text/plain')), [415, 'not_json', undefined]);
      assert.equal((await upload(Buffer.alloc(2_097_153, 1))).status, 413);
      const packed = await system.ask('POST', '/v1/pictures', {
        apiKey: owner.apiKey,
        body: png,
        headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' },
      });
      assert.equal(packed.status, 415);
      assert.equal((await upload(png, 'image/png', 'pk_wrong')).status, 401);
    });

    it('uploads of up to 2 MB are stored, and cost one action', async () => {
      const { status, headers, body } = await upload(large);
      assert.deepEqual([status, body.bytes], [200, large.length]);
      assert.equal(headers.get('ratelimit'), '"actions";r=29;t=1');
    });
  });
});
