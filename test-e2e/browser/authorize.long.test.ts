import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { OAuthAgent } from '../fixture/clients/oauth-agent.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('connecting an MCP client on the web page', ({ system, visit }) => {
  const agents: OAuthAgent[] = [];
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.close();
  });

  async function opened(version: 'v1' | 'v2'): Promise<OAuthAgent> {
    const agent = await OAuthAgent.open(version, system().gateway());
    agents.push(agent);
    return agent;
  }
  const originOf = ({ callback }: OAuthAgent): string => new URL(callback).origin;

  for (const version of ['v1', 'v2'] as const)
    it(`the client ${version} of the official SDK registers, its user signs in and allows it, and it calls tools until the key is revoked`, async () => {
      const agent = await opened(version);
      const user = await visit({ elsewhere: originOf(agent) });
      const { email, password } = await user.signUp();
      await user.call('DELETE', '/console/session');

      const { page } = user;
      await page.goto((await agent.begin()).href);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Connect Test agent?' }).waitFor();
      await page.getByText('a program on this computer').waitFor();
      await page.getByText(`It asks to use the robots of ${email}.`).waitFor();
      const returned = agent.returned();
      await allow(page, ['Robots, their state and events', 'Screen, face, head, lights and sound']);
      const parameters = await returned;
      assert.deepEqual([parameters.get('state'), parameters.get('iss'), parameters.get('error')], ['kept-state', system().gateway(), null]);
      await page.getByText('You can close this page.').waitFor();

      await agent.finish(parameters);
      const connection = await agent.connect();
      assert.ok((await connection.tools()).includes('robot_show'));
      await connection.close();

      await page.goto(`${system().gateway()}/keys`);
      await page.getByText('Connected from this computer').waitFor();
      await page.getByText('Can read and act').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Replace secret of Test agent' }).count(), 0);

      // With an access token that is no longer accepted, the client refreshes it by itself.
      const before = agent.tokens!;
      agent.tokens = { ...before, access_token: `pk_${'A'.repeat(43)}` };
      const again = await agent.connect();
      assert.ok((await again.tools()).length > 10);
      await again.close();
      assert.notEqual(agent.tokens.refresh_token, before.refresh_token);

      await page.getByRole('button', { name: 'Revoke Test agent' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('Connected from this computer').waitFor({ state: 'detached' });
      await agent.begin();
    });

  it('a client refuses an answer that names another issuer or none, and finishes with the one of the service', async () => {
    const agent = await opened('v2');
    const user = await visit({ elsewhere: originOf(agent) });
    await user.signUp();
    await user.page.goto((await agent.begin()).href);
    const returned = agent.returned();
    await allow(user.page, ['Robots, their state and events']);
    const parameters = await returned;
    for (const iss of ['https://another.example', null]) {
      const mixedUp = new URLSearchParams(parameters);
      if (iss === null) mixedUp.delete('iss');
      else mixedUp.set('iss', iss);
      await assert.rejects(agent.finish(mixedUp), { kind: 'authorization_response', received: iss ?? undefined });
      assert.equal(agent.tokens, undefined);
    }
    await agent.finish(parameters);
    assert.ok(agent.tokens !== undefined);
  });

  it('cancelling tells the client, and leaves no key', async () => {
    const agent = await opened('v1');
    const user = await visit({ elsewhere: originOf(agent), width: 360, theme: 'dark' });
    await user.signUp();
    await user.page.goto((await agent.begin()).href);
    await user.page.getByRole('button', { name: 'Cancel' }).waitFor();
    const returned = agent.returned();
    await user.page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await returned).get('error'), 'access_denied');
    assert.deepEqual((await user.call('GET', '/console/keys')).keys, []);
  });

  it('a request with another return address, or one that the service does not offer, is not sent anywhere by itself', async () => {
    const agent = await opened('v1');
    const user = await visit({ elsewhere: originOf(agent) });
    await user.signUp();
    const url = await agent.begin();
    const stolen = new URL(url);
    stolen.searchParams.set('redirect_uri', 'https://evil.example/callback');
    await user.page.goto(stolen.href);
    await user.page.getByText('The address to return to is not one of the client.').waitFor();
    assert.equal(await user.page.getByRole('button', { name: 'Allow' }).count(), 0);
    const plain = new URL(url);
    plain.searchParams.set('code_challenge_method', 'plain');
    await user.page.goto(plain.href);
    await user.page.getByRole('heading', { name: 'Test agent cannot be connected' }).waitFor();
    assert.deepEqual(await user.axe(), []);
    const returned = agent.returned();
    await user.page.getByRole('button', { name: 'Return to this computer' }).click();
    assert.equal((await returned).get('error'), 'invalid_request');
  });
});

/** A client that registered itself gets nothing that its user does not choose. */
async function allow(page: Page, scopes: readonly string[]): Promise<void> {
  await page.getByText('All robots', { exact: true }).click();
  for (const scope of scopes) await page.getByText(scope).click();
  await page.getByRole('button', { name: 'Allow' }).click();
}
