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
  const incoming = { headers: {}, socket: { remoteAddress: '2001:db8::1' } };
  const request = { exchange: { request: incoming, requestId: 'r-1' }, params: { key: 'k-1' }, auditNote: {} } as never;
  const common = { robot: undefined, key_id: 'k-1', replaced: undefined, network: '2001:db8::/64', request_id: 'r-1' };
  const changes: unknown[][] = [];
  const audits = new AuditLog(log, new ClientAddresses(0, log), { changed: (...change) => void changes.push(change) });

  it('logs kind, outcome, account, key and client network of a request, and no secret of its response', () => {
    audits.recordRequest('key_revoke', request, 'a-1', { ok: true, api_key: 'pk_secret' });
    assert.deepEqual(lines.pop(), ['info', { audit: 'key_revoke', outcome: 'ok', account: 'a-1', ...common }, 'audit']);
    const change = { via: 'page', action: 'key_revoke', outcome: 'ok', robot: undefined, subject: 'k-1', network: '2001:db8::/64', guest: undefined };
    assert.deepEqual(changes.pop(), ['a-1', change], 'in the activity of the account');
  });

  it('logs a refused request as a warning whose message contains kind and code, so that equal ones are limited', () => {
    audits.recordRequest('sign_in', request, null, new ConsoleError('wrong_credentials', 'no'));
    const line = { audit: 'sign_in', outcome: 'wrong_credentials', account: null, ...common };
    assert.deepEqual(lines.pop(), ['warn', line, 'audit: sign_in refused: wrong_credentials']);
    assert.equal(changes.length, 0, 'of no account');
  });
});
