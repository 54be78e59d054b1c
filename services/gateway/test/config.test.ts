import assert from 'node:assert/strict';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { gatewaySettings, accountSettings, settingsProblems } from '../src/config.js';

describe('settings of the gateway', () => {
  it('the settings match the settings and defaults that docs/operate.md lists', () => {
    const rows = settingRows(gatewaySettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    assert.deepEqual(documentedSettings('gateway'), rows);
  });

  it('the settings require the issuer and the client id of an OpenID Connect provider together', () => {
    const problems = (env: Record<string, string>) => settingsProblems(loadConfig(gatewaySettings, { PERCH_REDIS_URL: 'redis://127.0.0.1', ...env }));
    const issuer = { PERCH_OIDC_ISSUER: 'https://provider.example' };
    assert.deepEqual([problems({}), problems({ ...issuer, PERCH_OIDC_CLIENT_ID: 'perch' })], [[], []]);
    assert.match(problems(issuer).join(), /^PERCH_OIDC_CLIENT_ID: required/);
    assert.match(problems({ PERCH_OIDC_NAME: 'Acme' }).join(), /^PERCH_OIDC_ISSUER: required/);
  });

  it('the settings reject an http issuer unless its host is loopback', () => {
    const problems = (issuer: string) =>
      settingsProblems(
        loadConfig(gatewaySettings, { PERCH_REDIS_URL: 'redis://127.0.0.1', PERCH_OIDC_ISSUER: issuer, PERCH_OIDC_CLIENT_ID: 'perch' }),
      );
    for (const refused of ['http://provider.example', 'http://127.0.0.1.example', 'http://localhost.example', 'http://10.0.0.1'])
      assert.match(problems(refused).join(), /^PERCH_OIDC_ISSUER: must begin with https/, refused);
    for (const accepted of ['https://provider.example', 'http://127.0.0.1:4000', 'http://localhost/realm', 'http://[::1]:4000'])
      assert.deepEqual(problems(accepted), [], accepted);
  });

  it("the provider's name is the host of the issuer when none is set", () => {
    const config = loadConfig(gatewaySettings, {
      PERCH_REDIS_URL: 'redis://127.0.0.1',
      PERCH_OIDC_ISSUER: 'https://provider.example/tenant',
      PERCH_OIDC_CLIENT_ID: 'perch',
    });
    assert.deepEqual(accountSettings(config), {
      signUp: 'open',
      oidc: { issuer: 'https://provider.example/tenant', clientId: 'perch', clientSecret: null, name: 'provider.example' },
    });
  });
});
