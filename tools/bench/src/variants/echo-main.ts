/** The calibrator: node:http that sends back what it gets. What it costs changes only with the machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../worker.js';
import { bodyOf } from './checks.js';

async function start(): Promise<string> {
  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
    void bodyOf(request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serve({ start });
