/** The gateway's settings. */
import { accountStorageMb, commonSettings, connectionsSetting, defineSettings, mediaSettings, proxySettings, type ConfigOf } from '@perch/runtime';
import type { AccountSettings } from './console/accounts/accounts-wiring.js';

export const gatewaySettings = defineSettings({
  ...commonSettings,
  host: { env: 'PERCH_GATEWAY_HOST', type: 'string', default: '127.0.0.1', description: 'Address the HTTP server listens on.' },
  port: {
    env: 'PERCH_GATEWAY_PORT',
    type: 'int',
    min: 0,
    max: 65_535,
    default: 8080,
    description: 'Port of the HTTP server; 0 selects any free one.',
  },
  publicUrl: {
    env: 'PERCH_PUBLIC_URL',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description:
      "Public base URL, used in the OpenAPI document and as the allowed Host of /mcp. If unset, each request's Host is used, and /mcp accepts only loopback names and IP addresses.",
  },
  linkPublicUrl: {
    env: 'PERCH_LINK_PUBLIC_URL',
    type: 'url',
    schemes: ['ws', 'wss'],
    default: null,
    description:
      'Public URL that robots connect to, shown on the web page and used by its virtual robots. If unset, the address that a running robot-link listens on.',
  },
  connections: connectionsSetting('PERCH_GATEWAY_CONNECTIONS'),
  bodyBytes: {
    env: 'PERCH_GATEWAY_BODY_BYTES',
    type: 'int',
    unit: 'bytes',
    min: 8_388_608,
    max: 68_719_476_736,
    default: 134_217_728,
    description:
      'Memory for request bodies that are still arriving, at most 8 MB of it for one account. Bodies beyond it wait and are not read until there is room.',
  },
  signUp: {
    env: 'PERCH_SIGN_UP',
    type: 'choice',
    choices: ['open', 'invitation', 'closed'],
    default: 'open',
    description:
      'Who can sign up on the web page. open: anyone; invitation: holders of an invitation link (perch invitation create); closed: no one.',
  },
  ...proxySettings,
  tracesRequestedPerS: {
    env: 'PERCH_TRACES_REQUESTED_PER_S',
    type: 'int',
    min: 0,
    max: 100_000,
    default: 10,
    description:
      'Traces per second that callers together may demand of one gateway by a traceparent header with the sampled flag, beyond PERCH_TRACES_SAMPLE. 0: none.',
  },
  oidcIssuer: {
    env: 'PERCH_OIDC_ISSUER',
    type: 'url',
    schemes: ['https', 'http'],
    default: null,
    description:
      'URL of the OpenID Connect provider that people may sign in with. If unset, there is none. The redirect URI to register there is PERCH_PUBLIC_URL/console/oidc/callback.',
  },
  oidcClientId: {
    env: 'PERCH_OIDC_CLIENT_ID',
    type: 'string',
    default: null,
    description: 'Client id of this service at the OpenID Connect provider.',
  },
  oidcClientSecret: {
    env: 'PERCH_OIDC_CLIENT_SECRET',
    type: 'string',
    default: null,
    secret: true,
    description: 'Client secret of this service at the OpenID Connect provider. If unset, this is a public client.',
  },
  oidcName: {
    env: 'PERCH_OIDC_NAME',
    type: 'string',
    max: 60,
    default: null,
    description: 'Name of the OpenID Connect provider on the sign-in button. If unset, the host of PERCH_OIDC_ISSUER.',
  },
  accountKeys: {
    env: 'PERCH_ACCOUNT_KEYS',
    type: 'int',
    min: 1,
    max: 10_000,
    default: 100,
    description: 'API keys an account may create on the web page. The CLI of the operator is not bound.',
  },
  accountRobots: {
    env: 'PERCH_ACCOUNT_ROBOTS',
    type: 'int',
    min: 1,
    max: 100_000,
    default: 200,
    description: 'Robots an account may add on the web page and by pairing there. The CLI of the operator is not bound.',
  },
  renderJobs: {
    env: 'PERCH_ACCOUNT_RENDER_JOBS',
    type: 'int',
    min: 1,
    max: 1000,
    default: 64,
    description: 'Pictures and sounds of one account that may wait to be made at the same time; a call beyond them gets 503 busy.',
  },
  renderMegapixels: {
    env: 'PERCH_ACCOUNT_RENDER_MEGAPIXELS',
    type: 'int',
    min: 1,
    max: 10_000,
    default: 64,
    description: 'Megapixels of uploaded pictures of one account that may wait to be drawn at the same time; a call beyond them gets 503 busy.',
  },
  ...mediaSettings,
  accountStorageMb,
  accountActionsPerS: {
    env: 'PERCH_ACCOUNT_ACTIONS_PER_S',
    type: 'int',
    min: 0,
    max: 1_000_000,
    default: 0,
    description:
      'Actions a second that all API keys of an account may do together, over all gateways, approximately; 0 is no bound. The limit of each key stays.',
  },
  allowPrivateWebhooks: {
    env: 'PERCH_WEBHOOK_ALLOW_PRIVATE',
    type: 'bool',
    default: false,
    description: 'Whether webhooks may be http, use any port, and connect to private and loopback addresses.',
  },
});

type GatewayConfig = ConfigOf<typeof gatewaySettings>;

/** What is wrong between settings that are right each by itself. */
export function settingsProblems({ oidcIssuer, oidcClientId, oidcClientSecret, oidcName }: GatewayConfig): string[] {
  if (oidcIssuer !== null && oidcClientId === null) return ['PERCH_OIDC_CLIENT_ID: not set, though PERCH_OIDC_ISSUER is.'];
  if (oidcIssuer === null && [oidcClientId, oidcClientSecret, oidcName].some((value) => value !== null))
    return ['PERCH_OIDC_ISSUER: not set, though another PERCH_OIDC_* is.'];
  if (oidcIssuer !== null && !isSafeIssuer(oidcIssuer))
    return [
      'PERCH_OIDC_ISSUER: must begin with https://; http:// is accepted for a loopback host only, since anyone on the way could sign in as anyone.',
    ];
  return [];
}

function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Who may come in at the web page. */
export function accountSettings({ signUp, oidcIssuer, oidcClientId, oidcClientSecret, oidcName }: GatewayConfig): AccountSettings {
  const oidc =
    oidcIssuer === null || oidcClientId === null
      ? null
      : { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret, name: oidcName ?? new URL(oidcIssuer).host };
  return { signUp, oidc };
}
