/** A second implementation of packages/schema/src/console/passkeys.ts. No request here has a response that an authenticator signed. */
import type { Schema } from '../../generate/probes.js';
import { kind, text, textOf } from '../requests/body-kind.js';
import { done, wrong, type End } from '../requests/expected-results.js';
import { nameEnds, nameSchema } from '../requests/owners-bodies.js';
import { password } from './console-users.js';

const base64url = (maxLength: number): Schema => text({ maxLength, pattern: '^[A-Za-z0-9_-]+$' });

function responseOf(properties: Record<string, Schema>, required: readonly string[]): Schema {
  const response = { type: 'object', properties: { clientDataJSON: base64url(4096), ...properties }, required: ['clientDataJSON', ...required] };
  return { type: 'object', properties: { id: base64url(1364), type: { const: 'public-key' }, response }, required: ['id', 'type', 'response'] };
}

const created = responseOf(
  { attestationObject: base64url(12_288), transports: { type: 'array', items: { type: 'string', maxLength: 32 }, maxItems: 16 } },
  ['attestationObject'],
);
const used = responseOf(
  {
    authenticatorData: base64url(4096),
    signature: base64url(4096),
    userHandle: { anyOf: [base64url(128), { type: 'null' }] },
  },
  ['authenticatorData', 'signature'],
);

/** At an IP address, where browsers have no passkeys. */
export const wrongHost = wrong('');

/** `{"type":"webauthn.get","challenge":"AA"}` */
const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiQUEifQ';
const busy: End = { status: 503, code: 'too_busy' };

export const addPasskeyBody = kind(
  { properties: { name: nameSchema, passkey: created }, required: ['passkey'] },
  [
    { passkey: { id: 'AA', type: 'public-key', response: { clientDataJSON, attestationObject: 'oA' } } },
    { name: 'phone', passkey: { id: 'AA', type: 'public-key', response: { clientDataJSON, attestationObject: 'AAAA', transports: ['usb', 'x'] } } },
  ],
  { right: ({ name: given }) => nameEnds(given, [wrong('passkey'), wrongHost]) },
);

export const passkeyNameBody = kind({ properties: { name: nameSchema }, required: ['name'] }, [{ name: 'phone' }], {
  right: ({ name: given }) => (textOf(given).trim() === '' ? [wrong('name')] : nameEnds(given, done)),
});

export const passkeySignIn = kind(
  { properties: { passkey: used }, required: ['passkey'] },
  [
    { passkey: { id: 'AA', type: 'public-key', response: { clientDataJSON, authenticatorData: 'AA', signature: 'AA', userHandle: 'AA' } } },
    { passkey: { id: 'AA', type: 'public-key', response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' } } },
  ],
  { right: () => [{ status: 401, code: 'wrong_credentials' }, wrongHost] },
);

const confirmed = (others: readonly End[]) =>
  kind({ properties: { current: text({ maxLength: 200 }) }, required: ['current'] }, [{ current: password }, { current: 'wrong-horse-battery-3d' }], {
    right: ({ current }) => [...(current === password ? done : [{ status: 401, code: 'wrong_credentials', fields: ['current'] }]), busy, ...others],
  });

export const passkeyOptionsBody = confirmed([wrongHost]);
export const removePasskeyBody = confirmed([]);
