import assert from 'node:assert/strict';
import { placeOf, redirectMatches, redirectUriProblem } from '../../src/oauth/redirect-uri.js';

describe('redirect URIs of OAuth clients', () => {
  for (const uri of [
    'https://claude.ai/api/mcp/auth_callback',
    'https://client.example:8443/back?from=perch',
    'http://127.0.0.1:33418/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:5000/',
    'http://localhost:3000/oauth',
    'com.example.app:/callback',
    // Apps that name no domain in their scheme: warpdotdev/warp#9088, superloglabs/superlog#63.
    'warp://mcp/oauth2callback',
    'windsurf://codeium.windsurf/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'lmstudio://callback',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'com.googleusercontent.apps.1234-abcd:/oauth2redirect',
    'msauth.com.example.app://auth',
    'com.microsoft.copilot://auth',
    'com.applegate.app:/callback',
    'net.x-apples.app:/callback',
  ])
    it(`accepts ${uri}`, () => assert.equal(redirectUriProblem(uri), null));

  for (const uri of [
    'http://client.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://0.0.0.0/callback',
    'http://localhost.evil.example/',
    'https://client.example/#fragment',
    'https://client.example/#',
    'https://user@client.example/',
    'https://user:password@client.example/',
    'javascript:alert(1)',
    'javascript.x:alert(1)//#',
    'data:text/html,x',
    'file:///etc/passwd',
    'JavaScript:alert(1)',
    'vbscript:msgbox(1)',
    'about:blank',
    'view-source:https://client.example/',
    'filesystem:https://client.example/x',
    'chrome://settings',
    'chrome-extension://abcdefgh/callback',
    'moz-extension://abcdefgh/callback',
    'mailto:a@evil.example?body=x',
    'tel:112',
    'sms:112?body=x',
    'facetime:a@evil.example',
    'ssh://evil.example/',
    'smb://evil.example/share',
    'ftp://evil.example/',
    'ws://evil.example/',
    'market://details?id=x',
    'itms-services://?action=download-manifest&url=https://evil.example/x',
    'shell:startup',
    'microsoft-edge:https://evil.example',
    'android-app://com.example/https/x',
    'c:/windows/system32/calc.exe',
    'blob:https://client.example/x',
    'ms-msdt:/id',
    'intent:x',
    'search-ms:query=x&crumb=location:\\\\evil.example\\share',
    'ms-settings:privacy',
    'ms-appinstaller:?source=https://evil.example/x.appx',
    'ms-office.cmd:x',
    'search-ms.x:y',
    'x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture',
    'X-Apple.SystemPreferences:com.apple.preference.security',
    'x-apple-calevent.x:y',
    'com.apple.systempreferences:x',
    'com.apple.tv:x',
    'com.apple:x',
    'microsoft.windows.camera:x',
    'microsoft.windows.photos.crop:x',
    'com.microsoft.3dviewer:x',
    'android.settings:x',
    'com.android.settings:x',
    'https://client.example/ two',
    'https://client.example/\n',
    'https://client.example/ü',
    '/callback',
    '',
    `https://client.example/${'x'.repeat(500)}`,
  ])
    it(`refuses ${JSON.stringify(uri).slice(0, 60)}`, () => assert.notEqual(redirectUriProblem(uri), null));

  // microsoft/vscode#278512, geelen/mcp-remote#72: the port that was registered is taken.
  it('a program on this computer may listen on another port, and nothing else may differ', () => {
    const registered = 'http://127.0.0.1:33418/callback?a=1';
    for (const [requested, matches] of [
      [registered, true],
      ['http://127.0.0.1:5000/callback?a=1', true],
      ['http://127.0.0.1/callback?a=1', true],
      ['http://127.0.0.1:5000/callback', false],
      ['http://127.0.0.1:5000/callback?a=2', false],
      ['http://127.0.0.1:5000/other?a=1', false],
      ['http://localhost:5000/callback?a=1', false],
      ['http://[::1]:5000/callback?a=1', false],
      ['https://127.0.0.1:5000/callback?a=1', false],
      ['http://127.0.0.1:5000@evil.example/callback?a=1', false],
      ['http://127.0.0.1:x/callback?a=1', false],
      ['http://127.0.0.1:5000/callback?a=1#x', false],
      ['', false],
    ] as const)
      assert.equal(redirectMatches(registered, requested), matches, requested);
    assert.equal(redirectMatches('http://[::1]/', 'http://[::1]:81/'), true);
    assert.equal(redirectMatches('http://localhost:1/a', 'http://localhost:2/a'), true);
  });

  it('is no place to return to if it belongs to an operating system, although the client registered it with an earlier release', () => {
    const registered = 'x-apple.systempreferences:com.apple.preference.security';
    assert.equal(redirectMatches(registered, registered), false);
  });

  it('any other address has to be the registered one, character by character', () => {
    const registered = 'https://client.example/back';
    for (const requested of [
      'https://client.example:8443/back',
      'https://client.example/back/',
      'https://client.example/BACK',
      'https://client.example/back?x=1',
      'https://client.example/x/../back',
    ])
      assert.equal(redirectMatches(registered, requested), false, requested);
    assert.equal(redirectMatches(registered, registered), true);
    // As Warp sends it: warpdotdev/warp#9088. RFC 6749, 3.1.2.3: compared as texts.
    const warp = 'warp://mcp/oauth2callback';
    assert.equal(redirectMatches(warp, `${warp}?server_id=65aebdca`), false);
    assert.equal(redirectMatches(`${warp}?server_id=65aebdca`, `${warp}?server_id=65aebdca`), true);
    assert.equal(redirectMatches(`${warp}?server_id=65aebdca`, warp), false);
    assert.equal(redirectMatches('cursor://app/back', 'cursor://app:1/back'), false);
  });

  it('names the place for the user', () => {
    assert.deepEqual(placeOf('https://client.example:8443/back'), { kind: 'web', name: 'client.example:8443' });
    assert.deepEqual(placeOf('http://127.0.0.1:1/'), { kind: 'computer', name: 'this computer' });
    assert.deepEqual(placeOf('cursor://x/y'), { kind: 'app', name: 'cursor' });
  });
});
