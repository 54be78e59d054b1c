/** HTTP server on loopback that responds as a test defines, and records requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export interface ScriptedService {
  requests: RecordedRequest[];
  /** Sends relative URLs to this server, like a page's fetch. */
  fetch: typeof fetch;
  close(): Promise<void>;
}

export async function scriptedService(answer: (request: RecordedRequest, response: ServerResponse) => void): Promise<ScriptedService> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { method: request.method!, path: request.url!, headers: request.headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
      requests.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path as string}`, init),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

export function answerJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
