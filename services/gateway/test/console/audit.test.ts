import assert from 'node:assert/strict';
import { ClientAddresses, type Logger } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';
import { audit } from '../../src/console/audit.js';

describe('audit lines of the web page', () => {
  const lines: unknown[][] = [];
  const log = { info: (...line: unknown[]) => void lines.push(line), warn: () => {} } as unknown as Logger;
  const request = { headers: {}, socket: { remoteAddress: '2001:db8::1' } };
  const asked = { exchange: { request, requestId: 'r-1' }, params: { key: 'k-1' } } as never;
  const common = { robot: undefined, key_id: 'k-1', network: '2001:db8::/64', request_id: 'r-1' };

  it('name the kind, outcome, account, key and client network of a call, and nothing secret of its answer', () => {
    audit(log, new ClientAddresses(0, log), 'key_revoke', asked, 'a-1', { ok: true, api_key: 'pk_secret' });
    assert.deepEqual(lines.pop(), [{ audit: 'key_revoke', outcome: 'ok', account: 'a-1', ...common }, 'audit']);
  });

  it('name the code of a refused call', () => {
    audit(log, new ClientAddresses(0, log), 'sign_in', asked, null, new ConsoleError('wrong_credentials', 'no'));
    assert.deepEqual(lines.pop(), [{ audit: 'sign_in', outcome: 'wrong_credentials', account: null, ...common }, 'audit']);
  });

  it('are left out for calls of strangers that cost none of the limited attempts, so that they cannot fill the log', () => {
    audit(log, new ClientAddresses(0, log), 'sign_in', asked, null, new ConsoleError('too_many_attempts', 'no'));
    assert.equal(lines.length, 0);
    audit(log, new ClientAddresses(0, log), 'password_change', asked, 'a-1', new ConsoleError('too_many_attempts', 'no'));
    assert.equal(lines.length, 1);
  });
});
