/**
 * The least that is an OpenID Connect provider, in this process: the code that a browser brings back is the ID token's claims. What comes straight
 * from the token endpoint is not looked at for its signature (OpenID Connect Core, 3.1.3.7), so it has none.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Record<string, unknown>;

export class PlainProvider {
  /** How often its userinfo endpoint was asked. */
  asked = 0;
  readonly #server: Server;
  readonly #told: Claims | null;

  private constructor(told: Claims | null) {
    this.#told = told;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @param told at its userinfo endpoint; null: it has none */
  static async open(told: Claims | null): Promise<PlainProvider> {
    const provider = new PlainProvider(told);
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
        ...(this.#told === null ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (request.url === '/userinfo') {
      this.asked += 1;
      return json(this.#told!);
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
