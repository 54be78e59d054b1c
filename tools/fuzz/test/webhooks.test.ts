import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { until } from '@perch/testkit';
import { hostileUrls } from '../src/generate/urls.js';
import { componentCompiler, type ServedAction } from '../src/served.js';
import { LoopbackListener } from '../src/webhooks/loopback-listener.js';
import { unknownWebhookCalls } from '../src/webhooks/unknown-webhook-calls.js';
import { verdictOfWebhook, webhookProblem } from '../src/webhooks/verdict.js';
import { openApi } from './actions.js';

const urls = hostileUrls(4711);
const compiled = componentCompiler(openApi);
const served: ServedAction = {
  name: 'webhooks',
  args: openApi.components.schemas['WebhookArguments']!,
  examples: [],
  fits: compiled('WebhookArguments'),
  answerFits: compiled('WebhookRemovedAnswer'),
  steps: null,
};
const verdict = (body: unknown) => verdictOfWebhook(served, JSON.stringify(body), urls, new Set(['r-0000000001']));

describe('webhook URLs', () => {
  it('accepts only URLs that lead to this machine or to names that do not exist', () => {
    const open = urls.probes.map(({ value }) => String(value)).filter((url) => urls.verdictOf(url) !== 'refused');
    assert.ok(open.length >= 10 && urls.probes.length > 100);
    for (const url of open) assert.match(new URL(url).hostname, /\.invalid\.?$|^localhost\.localdomain$/, url);
  });

  it('rejects a private host, a port other than 443 and 8443, a scheme other than https, and a user name', () => {
    for (const url of ['https://127.1:8443/hook', 'https://[::1]:8443/hook', 'http://hook.invalid/', 'https://user@hook.invalid/', 'x']) {
      assert.equal(urls.verdictOf(url), 'refused', url);
    }
    for (const host of ['127.0.0.1.hook.invalid', 'localhost.localdomain']) {
      assert.equal(urls.verdictOf(`https://${host}:4711/`), 'refused', host);
      assert.equal(urls.verdictOf(`https://${host}:8443/`), 'taken', host);
    }
    assert.equal(urls.verdictOf('https://of-somebody.example/'), 'either');
  });
});

describe('the expected result of a webhook', () => {
  it('follows the schema, the URL and the robots', () => {
    const url = 'https://hook.invalid/';
    assert.deepEqual(verdict({ url }), { kind: 'taken' });
    assert.deepEqual(verdict({ url: 'https:hook.invalid/' }), { kind: 'either' });
    assert.deepEqual(verdict({ url: 'x', robots: ['r-0000000001', 'r-0000000002'] }), { kind: 'refused', fields: ['url', 'robots[1]'] });
    assert.deepEqual(verdict({ url, names: [] }), { kind: 'refused', fields: ['names'] });
    assert.deepEqual(verdict({}), { kind: 'refused', fields: ['url'] });
    assert.deepEqual(verdict([]), { kind: 'refused', fields: [''] });
  });

  it('compares with the answer', () => {
    const refusal = (field?: string) => ({
      status: 400,
      text: JSON.stringify({ ok: false, code: 'bad_argument', ...(field === undefined ? {} : { field }) }),
    });
    const refused = { kind: 'refused' as const, fields: ['url'] };
    assert.equal(webhookProblem(served, refused, refusal('url')), null);
    assert.equal(webhookProblem(served, { kind: 'either' }, refusal('url')), null);
    assert.equal(webhookProblem(served, { kind: 'taken' }, { status: 200, text: '{"ok":true}' }), null);
    assert.match(String(webhookProblem(served, refused, refusal('names'))), /blames names/);
    assert.match(String(webhookProblem(served, refused, refusal())), /blames/);
    assert.match(String(webhookProblem(served, refused, { status: 200, text: '{"ok":true}' })), /taken, although url is wrong/);
    assert.match(String(webhookProblem(served, { kind: 'taken' }, refusal('url'))), /although it fits/);
    assert.match(String(webhookProblem(served, { kind: 'taken' }, { status: 200, text: '{}' })), /does not fit its schema/);
  });
});

describe('addresses that must not be reached', () => {
  it('covers every operation on a webhook', () => {
    const calls = unknownWebhookCalls(['r-0000000001'], 'w-0000000009').filter(({ path }) => path.includes('/w-0000000009'));
    assert.ok(
      calls.some(({ method }) => method === 'DELETE') &&
        calls.some(({ path }) => path.endsWith('/replay')) &&
        calls.some(({ path }) => path.endsWith('/test')),
    );
  });

  it('counts connections to the loopback listener', async () => {
    const listener = await LoopbackListener.open();
    try {
      connect({ port: listener.port, host: '127.0.0.1' }).on('error', () => {});
      await until(() => listener.connections === 1);
    } finally {
      await listener.close();
    }
  });
});
