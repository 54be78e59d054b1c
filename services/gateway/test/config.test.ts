import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { gatewaySettings, accountSettings, mailSettings, settingsProblems } from '../src/config.js';

describe('settings of the gateway', () => {
  it('the settings match the settings and defaults that docs/operate lists', () => {
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

  it('the settings of e-mail are required together, with the public URL, and each wrong one is named', () => {
    const problems = (env: Record<string, string>) => settingsProblems(loadConfig(gatewaySettings, { PERCH_REDIS_URL: 'redis://127.0.0.1', ...env }));
    const [smtp, from, url] = [
      { PERCH_SMTP_URL: 'smtps://perch:secret@mail.example' },
      { PERCH_MAIL_FROM: 'Perch <perch@example.org>' },
      { PERCH_PUBLIC_URL: 'https://perch.example' },
    ];
    assert.deepEqual(problems({ ...smtp, ...from, ...url }), []);
    assert.match(problems({ ...smtp, ...from }).join(), /^PERCH_PUBLIC_URL: required when PERCH_SMTP_URL is set/);
    assert.match(problems({ ...smtp, ...url }).join(), /^PERCH_MAIL_FROM: required/);
    assert.match(problems({ ...from, ...url }).join(), /^PERCH_SMTP_URL: required/);
    assert.match(problems({ ...smtp, ...url, PERCH_MAIL_FROM: 'perch' }).join(), /^PERCH_MAIL_FROM: must be an e-mail address/);
    for (const wrong of ['https://mail.example', 'mail.example', 'smtp://perch:secret@mail.example/x', 'smtp://a.example,b.example'])
      assert.throws(
        () => problems({ ...from, ...url, PERCH_SMTP_URL: wrong }),
        (error: Error) => /PERCH_SMTP_URL: must /.test(error.message) && !error.message.includes('secret'),
        wrong,
      );
  });

  it('the password of the SMTP server can be given in a file, and e-mail is off by default', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-smtp-'));
    try {
      const file = join(folder, 'url');
      writeFileSync(file, 'smtp://perch:secret@mail.example\n');
      const env = { PERCH_REDIS_URL: 'redis://127.0.0.1', PERCH_MAIL_FROM: 'perch@example.org', PERCH_SMTP_URL_FILE: file };
      const from = { name: '', address: 'perch@example.org' };
      assert.deepEqual(mailSettings(loadConfig(gatewaySettings, env)), { smtpUrl: 'smtp://perch:secret@mail.example', from });
      assert.equal(mailSettings(loadConfig(gatewaySettings, { PERCH_REDIS_URL: 'redis://127.0.0.1' })), null);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
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
