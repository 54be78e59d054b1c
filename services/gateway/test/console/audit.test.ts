import assert from 'node:assert/strict';
import { ClientAddresses, type Logger } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';
import { AuditLog } from '../../src/console/audit.js';

describe('audit lines of the web page', () => {
  const lines: unknown[][] = [];
  const log = {
    info: (...line: unknown[]) => void lines.push(['info', ...line]),
    warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
  } as unknown as Logger;
  const request = { headers: {}, socket: { remoteAddress: '2001:db8::1' } };
  const asked = { exchange: { request, requestId: 'r-1' }, params: { key: 'k-1' }, noted: {} } as never;
  const common = { robot: undefined, key_id: 'k-1', replaced: undefined, network: '2001:db8::/64', request_id: 'r-1' };
  const audits = new AuditLog(log, new ClientAddresses(0, log));

  it('name the kind, outcome, account, key and client network of a call, and nothing secret of its answer', () => {
    audits.call('key_revoke', asked, 'a-1', { ok: true, api_key: 'pk_secret' });
    assert.deepEqual(lines.pop(), ['info', { audit: 'key_revoke', outcome: 'ok', account: 'a-1', ...common }, 'audit']);
  });

  it('are warnings whose message names kind and code when the call is refused, so that equal ones are limited', () => {
    audits.call('sign_in', asked, null, new ConsoleError('wrong_credentials', 'no'));
    const line = { audit: 'sign_in', outcome: 'wrong_credentials', account: null, ...common };
    assert.deepEqual(lines.pop(), ['warn', line, 'audit: sign_in refused: wrong_credentials']);
  });
});
