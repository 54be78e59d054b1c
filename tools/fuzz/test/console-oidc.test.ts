import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codeOf, HostileProvider } from '../src/console/auth/hostile-provider.js';
import { signIns } from '../src/console/auth/sign-ins.js';
import { signInProblem } from '../src/targets/console-oidc.js';
import type { Answer } from '../src/answer-problems.js';

describe('HostileProvider', () => {
  it('serves a valid discovery document, and answers /token as the code says', async () => {
    const provider = await HostileProvider.open();
    try {
      const described = (await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) as Record<string, string>;
      assert.equal(described['issuer'], provider.issuer);
      const code = codeOf({
        status: 200,
        type: 'application/json',
        body: '{"id_token":"{id_token}"}',
        claims: { sub: '7' },
        header: { alg: 'none' },
      });
      const asked = await fetch(described['token_endpoint']!, { method: 'POST', body: new URLSearchParams({ code }) });
      const [header, claims] = ((await asked.json()) as { id_token: string }).id_token
        .split('.')
        .map((part) => Buffer.from(part, 'base64url').toString());
      assert.deepEqual(JSON.parse(header!), { alg: 'none', kid: '1' });
      assert.deepEqual([JSON.parse(claims!).sub, JSON.parse(claims!).iss], ['7', provider.issuer]);
      const wrong = await fetch(described['token_endpoint']!, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
      assert.equal(wrong.status, 400);
    } finally {
      await provider.close();
    }
  });
});

describe('the check of a sign-in with a provider', () => {
  const led = (location: string, ...cookies: string[]): Answer => ({
    status: 303,
    headers: { location, 'set-cookie': cookies.join('\n') },
    text: '',
    tookMs: 5,
  });
  const gone = 'perch_oidc=; Path=/';
  const session = `perch_session=ps_${'a'.repeat(43)}; Path=/`;

  it('accepts users with a valid answer, and no others', () => {
    assert.equal(signInProblem({ signsIn: true }, led('/', gone, session)), null);
    assert.equal(signInProblem({ signsIn: false }, led('/sign-in#error=oidc_failed', gone)), null);
    assert.match(String(signInProblem({ signsIn: false }, led('/', gone, session))), /leads to \//);
    assert.match(String(signInProblem({ signsIn: false }, led('/sign-in#error=oidc_failed', session))), /although nobody signed in/);
    assert.match(String(signInProblem({ signsIn: true }, led('/', gone))), /no session/);
  });

  it('generates valid sign-ins, and many invalid ones', () => {
    const sample = fc.sample(signIns, { numRuns: 500, seed: 1 });
    assert.ok(sample.some(({ signsIn }) => signsIn) && new Set(sample.filter(({ signsIn }) => !signsIn).map(({ what }) => what)).size > 40);
  });
});
