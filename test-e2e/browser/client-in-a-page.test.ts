import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { until } from '@perch/testkit';
import { left } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

const client = new URL('../../packages/client/dist/', import.meta.url);

function site(): Server {
  return createServer((request, response) => {
    const file = basename(request.url ?? '/');
    if (!file.endsWith('.js')) return void response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
    readFile(new URL(file, client)).then(
      (text) => response.setHeader('content-type', 'text/javascript').end(text),
      () => response.writeHead(404).end(),
    );
  });
}

onBrowserSystem('the client in a page of another origin', ({ system, visit }) => {
  let server: Server;
  let address: string;

  before(async () => {
    server = site().listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('the published client acts, asks and receives the tap, follows events, and gets the reason of a rejection, from a page of another origin', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const { page } = await visit({ elsewhere: system().gateway() }, address);
    await page.goto('/');
    // A string: it runs in the page, where the types of this file do not exist.
    const run = <T>(body: string): Promise<T> =>
      page.evaluate(`(async () => {
        const { Perch } = await import('/index.js');
        const perch = new Perch(${JSON.stringify({ baseUrl: system().gateway(), apiKey: tenant.key })});
        const robot = perch.robot(${JSON.stringify(id)});
        ${body}
      })()`);
    assert.equal(await run("return (await robot.face({ emotion: 'happy' })).ok"), true);
    assert.equal(robot.face.emotion, 'happy');

    const answered = run<{ outcome: string; answer: string }>("return robot.ask({ question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] })");
    await until(() => robot.screen.question !== null);
    await robot.tap(...left);
    const { outcome, answer } = await answered;
    assert.deepEqual([outcome, answer], ['answered', 'Tea']);

    const heard = run<string>("for await (const event of robot.events({ names: ['pat'], after: 0 })) return event.name");
    await robot.pat();
    assert.equal(await heard, 'pat');

    const refused = await run("return robot.move({ yaw: 'left' }).catch((error) => [error.code, error.status, error.field])");
    assert.deepEqual(refused, ['bad_argument', 400, 'yaw']);
  });
});
