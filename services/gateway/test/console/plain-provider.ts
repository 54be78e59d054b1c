/**
 * Minimal OpenID Connect provider in this process: the authorization code contains the claims of the ID token. ID tokens are not signed, since
 * clients need not verify the signature of one that comes directly from the token endpoint (OpenID Connect Core, 3.1.3.7).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Record<string, unknown>;

export class PlainProvider {
  userInfoRequests = 0;
  readonly #server: Server;
  readonly #userInfo: Claims | null;

  private constructor(userInfo: Claims | null) {
    this.#userInfo = userInfo;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @param userInfo response of the userinfo endpoint; null: the provider has no such endpoint */
  static async open(userInfo: Claims | null): Promise<PlainProvider> {
    const provider = new PlainProvider(userInfo);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  codeOf(claims: Claims): string {
    return part(claims);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { issuer } = this;
    const json = (value: object): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === '/.well-known/openid-configuration')
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...(this.#userInfo === null ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (request.url === '/userinfo') {
      this.userInfoRequests += 1;
      return json(this.#userInfo!);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code')!;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: 'perch', iat: now, exp: now + 300, ...(JSON.parse(Buffer.from(code, 'base64url').toString()) as Claims) };
    json({ access_token: 'access', token_type: 'Bearer', id_token: `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}` });
  }
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
