import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResolveAll } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { until } from '@perch/testkit';
import { PictureFetch, type PictureAccess } from '../src/media/picture-sources.js';

const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(3000, 7)]);
const never = new AbortController().signal;

describe('PictureFetch', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  const connections = (): Promise<number> => new Promise((resolve) => servers.at(-1)!.getConnections((_, count) => resolve(count)));
  const fetched = (address: string, { access = 'any' as PictureAccess, signal = never, withinMs = 5000, onBytes = (): void => {} } = {}) =>
    new PictureFetch(access, { withinMs }).fetch(address, { field: 'image', onBytes, signal });

  async function refused(fetching: Promise<Buffer>, words: RegExp, code = 'image_unreachable'): Promise<void> {
    await assert.rejects(fetching, (error) => {
      assert.ok(error instanceof ApiError, String(error));
      assert.equal(error.code, code);
      assert.equal(error.field, 'image');
      assert.match(error.message, words);
      return true;
    });
  }

  it('returns the bytes of a picture, whatever content type the server states, and asks for no compression', async () => {
    let headers: Record<string, unknown> = {};
    const url = await serve((request, response) => {
      headers = request.headers;
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(png);
    });
    assert.deepEqual(await fetched(url), png);
    assert.equal(headers['accept-encoding'], 'identity');
    assert.match(String(headers['user-agent']), /^Perch\//);
    assert.equal(headers['cookie'], undefined);
  });

  it('follows three redirects and no fourth', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end(png);
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    assert.deepEqual(await fetched(`${url}3`), png);
    await refused(fetched(`${url}4`), /more than 3 redirects/);
  });

  it('checks the target of a redirect as it checks the address', async () => {
    const targets = ['ftp://example.com/a.png', 'http://user:pw@127.0.0.1/', 'file:///etc/passwd', 'http://['];
    const url = await serve((request, response) => response.writeHead(307, { location: targets[Number(request.url!.slice(1))] }).end());
    await refused(fetched(`${url}0`), /must begin with https/);
    await refused(fetched(`${url}1`), /user name or password/);
    await refused(fetched(`${url}2`), /must begin with https/);
    await refused(fetched(`${url}3`), /is not a URL/);
  });

  it('connects to no private address, whether it is in the address or a name leads to it', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests++;
      response.end(png);
    });
    const { port } = new URL(url);
    for (const address of [
      url,
      `https://127.0.0.1:${port}/`,
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://0x7f000001/',
      'https://2130706433/',
      'https://169.254.169.254/latest/meta-data/',
      'https://localhost/',
      'https://redis.internal/',
      'https://redis/',
      'https://example.com:6379/',
      'gopher://example.com/',
    ]) {
      await refused(fetched(address, { access: 'public' }), /must begin with https|not reachable from the internet|only 443 and 8443/);
    }
    const resolve: ResolveAll = (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    const rebound = new PictureFetch('public', { resolve }).fetch('https://pictures.example/', { field: 'image', onBytes: () => {}, signal: never });
    await refused(rebound, /pictures\.example leads to an address that is not reached from the internet/);
    assert.equal(requests, 0);
  });

  it('fetches nothing if addresses are switched off', async () => {
    await refused(fetched('https://example.com/a.png', { access: 'off' }), /This service fetches no pictures/);
  });

  it('names the status of another answer, and a connection that fails', async () => {
    const url = await serve((request, response) => response.writeHead(Number(request.url!.slice(1))).end('nothing'));
    await refused(fetched(`${url}404`), /The server answered 404/);
    await refused(fetched(`${url}500`), /The server answered 500/);
    await refused(fetched(`${url}204`), /The server answered 204/);
    const gone = await serve(() => {});
    const server = servers.pop()!;
    server.close();
    await once(server, 'close');
    await refused(fetched(gone), /ECONNREFUSED/);
    const broken = await serve(({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nab'));
    await refused(fetched(broken), /The connection failed/);
    const switching = await serve(({ socket }) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'));
    await refused(fetched(switching), /The connection failed/);
  });

  it('names what is there instead of a picture', async () => {
    const url = await serve((request, response) => response.end(request.url === '/html' ? '<!doctype html><p>no' : 'hello'));
    await refused(fetched(`${url}html`), /must be a JPEG or PNG; this is HTML/, 'bad_picture');
    await refused(fetched(url), /these bytes are neither/, 'bad_picture');
  });

  it('stops at 2 MB, whether the server states the length or sends without end', async () => {
    const declared = await serve((_, response) => response.writeHead(200, { 'content-length': '2097153' }).write(png));
    await refused(fetched(declared), /more than 2,097,152 bytes/);
    let sent = 0;
    const endless = await serve((_, response) => {
      const part = Buffer.concat([png, Buffer.alloc(60_000)]);
      const more = (): void => {
        while (!response.destroyed && response.write(part)) sent += part.length;
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    await refused(fetched(endless), /more than 2,097,152 bytes/);
    assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
  });

  it('stops after the first kilobyte of an endless body that is no picture', async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(700)), 5);
      response.on('close', () => clearInterval(timer));
    });
    await refused(fetched(url), /neither/, 'bad_picture');
  });

  it('stops at a server whose answer is mostly overhead: informational responses, or a body in single bytes', async () => {
    const flood = async (begin: Buffer, block: string): Promise<string> =>
      serve(({ socket }) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(block));
        };
        socket.on('drain', more).on('error', () => {});
        socket.write(begin);
        more();
      });
    for (const status of [100, 103]) {
      const hints = await flood(Buffer.alloc(0), `HTTP/1.1 ${status} x\r\n\r\n`.repeat(1000));
      await refused(fetched(hints), /The server answered with too many informational responses/);
    }
    const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${png.length.toString(16)}\r\n`;
    const chunks = await flood(Buffer.concat([Buffer.from(head), png, Buffer.from('\r\n')]), '1\r\nx\r\n'.repeat(1000));
    await refused(fetched(chunks), /The server sent it in parts that are too small/);
  });

  it('returns a picture that is sent in parts of a hundred bytes, after early hints', async () => {
    const bytes = Buffer.concat([png, Buffer.alloc(600_000)]);
    const url = await serve((_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      for (let at = 0; at < bytes.length; at += 100) response.write(bytes.subarray(at, at + 100));
      response.end();
    });
    assert.deepEqual(await fetched(url), bytes);
  });

  it('ends after its time, however slowly the server sends, and closes the connection', async () => {
    const silent = await serve(() => {});
    await refused(fetched(silent, { withinMs: 100 }), /did not send it within 0.1 s/);
    const slow = await serve((_, response) => {
      response.writeHead(200).write(png.subarray(0, 8));
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await refused(fetched(slow, { withinMs: 200 }), /did not send it within/);
    await closed();
  });

  it('rejects with the reason of its signal, and closes the connection', async () => {
    const url = await serve((_, response) => void response.writeHead(200).write(png));
    const abort = new AbortController();
    const fetching = fetched(url, { signal: abort.signal });
    const reason = new Error('the client left');
    setTimeout(() => abort.abort(reason), 50);
    await assert.rejects(fetching, reason);
    await closed();
  });

  it('stops when the caller counts one byte too many', async () => {
    const url = await serve((_, response) => response.end(png));
    const full = new ApiError('bad_argument', 'too many', { field: 'image' });
    const onBytes = (): void => {
      throw full;
    };
    await assert.rejects(fetched(url, { onBytes }), full);
  });

  const closed = (): Promise<unknown> => until(async () => (await connections()) === 0, { what: 'the connection to be closed' });
});
