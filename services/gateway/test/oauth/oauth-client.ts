/** An OAuth client of a gateway, written for these tests: it registers, asks for consent as a signed-in page does, and exchanges what it gets. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { SessionClient } from '../console/session-client.js';
import type { GatewayUnderTest, Answer } from '../gateway-under-test.js';

export const callback = 'http://127.0.0.1:33418/callback';

export class OAuthClient {
  readonly system: Pick<GatewayUnderTest, 'ask' | 'base'>;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('base64url');
  id = '';

  constructor(system: Pick<GatewayUnderTest, 'ask' | 'base'>) {
    this.system = system;
  }

  static async registered(system: Pick<GatewayUnderTest, 'ask' | 'base'>, metadata: object = {}): Promise<OAuthClient> {
    const client = new OAuthClient(system);
    const answer = await client.register(metadata);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    client.id = answer.body.client_id;
    return client;
  }

  register(metadata: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.system.ask('POST', '/oauth/register', { body: { client_name: 'Agent', redirect_uris: [callback], ...metadata }, headers });
  }

  /** Query of the page `/authorize`. @param changed null leaves a parameter out */
  query(changed: Record<string, string | null> = {}): string {
    const parameters = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: callback,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: this.state,
      resource: `${this.system.base}/mcp`,
      scope: 'read act ask',
      ...changed,
    };
    return new URLSearchParams(Object.entries(parameters).filter((parameter): parameter is [string, string] => parameter[1] !== null)).toString();
  }

  find(page: SessionClient, changed: Record<string, string | null> = {}): Promise<Answer> {
    return page.ask('POST', 'authorizations/find', { query: this.query(changed) });
  }

  allow(page: SessionClient, changed: Record<string, string | null> = {}, more: object = {}): Promise<Answer> {
    return page.ask('POST', 'authorizations', { query: this.query(changed), robots: '*', scopes: ['read', 'act', 'ask'], ...more });
  }

  async codeFrom(page: SessionClient, more: object = {}): Promise<string> {
    const answer = await this.allow(page, {}, more);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { searchParams } = new URL(answer.body.redirect);
    assert.deepEqual([searchParams.get('state'), searchParams.get('iss')], [this.state, this.system.base]);
    return searchParams.get('code')!;
  }

  post(path: string, parameters: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
    return this.system.ask('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });
  }

  exchange(code: string, changed: Record<string, string> = {}): Promise<Answer> {
    return this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      client_id: this.id,
      redirect_uri: callback,
      code_verifier: this.verifier,
      resource: `${this.system.base}/mcp`,
      ...changed,
    });
  }

  refresh(token: string, changed: Record<string, string> = {}): Promise<Answer> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: this.id, ...changed });
  }

  revoke(token: string): Promise<Answer> {
    return this.post('/oauth/revoke', { token, client_id: this.id });
  }

  /** Lists the tools. */
  tools(token: string, system: Pick<GatewayUnderTest, 'ask'> = this.system): Promise<Answer> {
    return system.ask('POST', '/mcp', {
      apiKey: token,
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  }
}

/** Status and error of an endpoint of OAuth. */
export const failed = ({ status, body }: Answer): unknown[] => [status, body.error];
/** Status and error code of the console. */
export const refused = ({ status, body }: Answer): unknown[] => [status, body.code];
