/** An OpenID Connect provider whose answers are chosen by the client: the authorization code contains what the gateway receives for it at /token. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenAnswer {
  status: number;
  type: string;
  /** Sent verbatim, with placeholders for `{id_token}` and for texts too long for a code. */
  body: string;
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
}

/** A code is part of a URL. */
const tooLong = { '{long}': 'a'.repeat(100_000), '{huge}': 'x'.repeat(2_000_000), '{deep}': '['.repeat(20_000) };

export function codeOf(answer: TokenAnswer): string {
  return Buffer.from(JSON.stringify(answer)).toString('base64url');
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export class HostileProvider {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<HostileProvider> {
    const server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HostileProvider(server);
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const issuer = `http://${request.headers.host}`;
  const json = (value: object): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.url === '/.well-known/openid-configuration') return json(description(issuer));
  if (request.url === '/jwks') return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: '1' }] });
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? '';
  try {
    const { status, type, body, claims, header } = JSON.parse(Buffer.from(code, 'base64url').toString()) as TokenAnswer;
    response.writeHead(status, { 'content-type': type }).end(lengthened(body.replace('{id_token}', idToken(issuer, claims, header))));
  } catch {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
  }
}

function lengthened(text: string): string {
  return Object.entries(tooLong).reduce((made, [name, long]) => made.replace(name, long), text);
}

function description(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

function idToken(issuer: string, claims: Record<string, unknown>, header: Record<string, unknown>): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(lengthened(JSON.stringify(value))).toString('base64url');
  const signed = `${part({ alg: 'RS256', kid: '1', ...header })}.${part({ iss: issuer, aud: 'perch', iat: now, exp: now + 300, ...claims })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
