import {
  accountStorageMb,
  commonSettings,
  connectionsSetting,
  defineSettings,
  keepAliveSetting,
  linkPublicUrl,
  mediaBounds,
  mediaSettings,
  proxySettings,
  robotProgram,
  type ConfigOf,
} from '@perch/runtime';
import { readSignedUpdate } from '@perch/installer/node';
import type { StoreOptions } from '@perch/store';
import { mailAddressOf, smtpUrlProblem, type MailSettings } from './mail/mail-delivery.js';
import { ledMaDefault } from './media/led-color.js';
import { pictureAccess } from './media/picture-sources.js';
import type { AccountSettings } from './console/accounts/account-routes.js';

export const gatewaySettings = defineSettings({
  ...commonSettings,
  host: { env: 'PERCH_GATEWAY_HOST', type: 'string', default: '127.0.0.1', description: 'Address the HTTP server listens on.' },
  port: {
    env: 'PERCH_GATEWAY_PORT',
    type: 'int',
    min: 0,
    max: 65_535,
    default: 8080,
    description: 'Port of the HTTP server. 0 selects any free port.',
  },
  publicUrl: {
    env: 'PERCH_PUBLIC_URL',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description:
      "Public base URL, used in the OpenAPI document and as the allowed Host of /mcp. If unset, each request's Host is used, and /mcp accepts only loopback names and IP addresses.",
  },
  linkPublicUrl,
  installUrl: {
    env: 'PERCH_INSTALL_URL',
    type: 'url',
    schemes: ['wss'],
    default: null,
    description:
      'URL that the web page installs in robots, if it is not PERCH_LINK_PUBLIC_URL: npm start -- --lan sets a name that stays while its address changes.',
  },
  installCa: {
    env: 'PERCH_INSTALL_CA_FILE',
    type: 'file',
    default: null,
    description:
      'PEM file with the certificate of the authority that issued the certificate of the robot link. The web page installs it in robots, which then trust that authority alone, and serves it at /ca.crt, for phones and for perch robot install. If unset, it is entered where a robot is installed.',
  },
  robotProgram,
  connections: connectionsSetting('PERCH_GATEWAY_CONNECTIONS'),
  keepAliveMs: keepAliveSetting('PERCH_GATEWAY_KEEP_ALIVE_MS', 65_000),
  bodyBytes: {
    env: 'PERCH_GATEWAY_BODY_BYTES',
    type: 'int',
    unit: 'bytes',
    min: 8_388_608,
    max: 68_719_476_736,
    default: 134_217_728,
    description:
      'Memory for request bodies that are still arriving, at most 8 MB per account. Bodies beyond the limit wait and are not read until memory is released.',
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
      'Traces per second that clients may request from one gateway, in total, with the sampled flag of a traceparent header. They come on top of PERCH_TRACES_SAMPLE. 0: none.',
  },
  oidcIssuer: {
    env: 'PERCH_OIDC_ISSUER',
    type: 'url',
    schemes: ['https', 'http'],
    default: null,
    description:
      'URL of the OpenID Connect provider that users may sign in with. If unset, OpenID Connect is disabled. The redirect URI to register at the provider is PERCH_PUBLIC_URL/console/oidc/callback.',
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
    description: 'Client secret of this service at the OpenID Connect provider. If unset, the service is a public client.',
  },
  oidcName: {
    env: 'PERCH_OIDC_NAME',
    type: 'string',
    max: 60,
    default: null,
    description: 'Name of the OpenID Connect provider on the sign-in button. If unset, the host of PERCH_OIDC_ISSUER.',
  },
  smtpUrl: {
    env: 'PERCH_SMTP_URL',
    type: 'url',
    schemes: ['smtp', 'smtps'],
    default: null,
    secret: true,
    check: smtpUrlProblem,
    description:
      'URL of the SMTP server for e-mails to users: smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465 (TLS). If unset, no e-mail is sent. Requires PERCH_MAIL_FROM and PERCH_PUBLIC_URL.',
  },
  mailFrom: {
    env: 'PERCH_MAIL_FROM',
    type: 'string',
    default: null,
    description: 'Sender of e-mails to users, such as perch@example.org or Perch <perch@example.org>.',
  },
  accountKeys: {
    env: 'PERCH_ACCOUNT_KEYS',
    type: 'int',
    min: 1,
    max: 10_000,
    default: 100,
    description: 'Maximum number of API keys an account can create on the web page. The operator CLI is not limited.',
  },
  accountRobots: {
    env: 'PERCH_ACCOUNT_ROBOTS',
    type: 'int',
    min: 1,
    max: 100_000,
    default: 200,
    description: 'Maximum number of robots an account can add on the web page, pairing included. The operator CLI is not limited.',
  },
  renderJobs: {
    env: 'PERCH_ACCOUNT_RENDER_JOBS',
    type: 'int',
    min: 1,
    max: 1000,
    default: 64,
    description: 'Maximum number of pictures and sounds of one account that may be queued for rendering. Further calls get 503 busy.',
  },
  renderMegapixels: {
    env: 'PERCH_ACCOUNT_RENDER_MEGAPIXELS',
    type: 'int',
    min: 1,
    max: 10_000,
    default: 64,
    description: 'Maximum megapixels of uploaded pictures of one account that may be queued for rendering. Further calls get 503 busy.',
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
      'Approximate limit on the actions per second of all API keys of an account together, across all gateways. 0: no limit. The limit per key still applies.',
  },
  ledMa: {
    env: 'PERCH_LED_MA',
    type: 'int',
    unit: 'mA',
    min: 50,
    max: 720,
    default: ledMaDefault,
    description:
      'Maximum current of the 12 LEDs of a robot together, in milliamperes, assuming 20 mA for each channel at full duty. Brighter colours are dimmed; 720 never dims.',
  },
  imageAddresses: {
    env: 'PERCH_IMAGE_ADDRESSES',
    type: 'choice',
    choices: pictureAccess,
    default: 'public',
    description:
      'Addresses from which gateways fetch pictures for callers. public: https on port 443 or 8443 of hosts that are reachable from the internet; off: none; any: also http, any port, and private and loopback addresses.',
  },
  allowPrivateWebhooks: {
    env: 'PERCH_WEBHOOK_ALLOW_PRIVATE',
    type: 'bool',
    default: false,
    description:
      'Whether webhooks may be http, use any port, and connect to private and loopback addresses; also for the metadata documents of OAuth clients.',
  },
});

type GatewayConfig = ConfigOf<typeof gatewaySettings>;

export function settingsProblems(config: GatewayConfig): string[] {
  return [...oidcProblems(config), ...mailProblems(config), ...installProblems(config)];
}

/** A key would be served to everyone, and written into robots. */
function installProblems({ installCa }: GatewayConfig): string[] {
  if (installCa === null || /^(?:-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*)+$/.test(installCa)) return [];
  return ['PERCH_INSTALL_CA_FILE: must contain certificates in PEM form and nothing else.'];
}

function mailProblems({ smtpUrl, mailFrom, publicUrl }: GatewayConfig): string[] {
  if (smtpUrl === null) return mailFrom === null ? [] : ['PERCH_SMTP_URL: required when PERCH_MAIL_FROM is set.'];
  const problems: string[] = [];
  if (mailFrom === null) problems.push('PERCH_MAIL_FROM: required when PERCH_SMTP_URL is set.');
  else if (mailAddressOf(mailFrom) === null)
    problems.push('PERCH_MAIL_FROM: must be an e-mail address, such as perch@example.org or Perch <perch@example.org>.');
  if (publicUrl === null)
    problems.push('PERCH_PUBLIC_URL: required when PERCH_SMTP_URL is set. Links in e-mails lead there, never to a host that a request names.');
  return problems;
}

function oidcProblems({ oidcIssuer, oidcClientId, oidcClientSecret, oidcName }: GatewayConfig): string[] {
  if (oidcIssuer !== null && oidcClientId === null) return ['PERCH_OIDC_CLIENT_ID: required when PERCH_OIDC_ISSUER is set.'];
  if (oidcIssuer === null && [oidcClientId, oidcClientSecret, oidcName].some((value) => value !== null))
    return ['PERCH_OIDC_ISSUER: required when another PERCH_OIDC_* setting is set.'];
  if (oidcIssuer !== null && !isSafeIssuer(oidcIssuer))
    return [
      'PERCH_OIDC_ISSUER: must begin with https://. http:// is accepted for loopback hosts only: anyone able to intercept the traffic could sign in as any user.',
    ];
  return [];
}

function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export function accountSettings({ signUp, oidcIssuer, oidcClientId, oidcClientSecret, oidcName }: GatewayConfig): AccountSettings {
  const oidc =
    oidcIssuer === null || oidcClientId === null
      ? null
      : { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret, name: oidcName ?? new URL(oidcIssuer).host };
  return { signUp, oidc };
}

export function mailSettings({ smtpUrl, mailFrom }: GatewayConfig): MailSettings | null {
  const from = mailFrom === null ? null : mailAddressOf(mailFrom);
  return smtpUrl === null || from === null ? null : { smtpUrl, from };
}

export function storeOptions(config: GatewayConfig): Pick<StoreOptions, 'accountStorageMb' | 'mediaBounds' | 'renderShare'> {
  const { accountStorageMb: storageMb, renderJobs, renderMegapixels } = config;
  return { accountStorageMb: storageMb, mediaBounds: mediaBounds(config), renderShare: { jobsMax: renderJobs, pixelsMax: renderMegapixels * 1e6 } };
}

/** @throws {Error} it is damaged */
function signedProgram({ robotProgram: text }: Pick<GatewayConfig, 'robotProgram'>): object | null {
  if (text === null) return null;
  const { version, lowest, highest, sha256, key, signature, program, start } = readSignedUpdate(text, robotProgram.env);
  return { version, lowest, highest, sha256, key, signature, program, start };
}

export function gatewayOptions(config: GatewayConfig) {
  const { host, port, publicUrl, linkPublicUrl, drainMs, bodyBytes, allowPrivateWebhooks, accountActionsPerS, ledMa, imageAddresses } = config;
  return {
    host,
    port,
    publicUrl,
    linkPublicUrl,
    install: { url: config.installUrl, ca: config.installCa },
    robotProgram: signedProgram(config),
    trustedProxies: config.trustProxy,
    drainMs,
    bodyBytes,
    connectionsMax: config.connections,
    keepAliveMs: config.keepAliveMs,
    allowPrivateWebhooks,
    accountActionsPerS,
    ledMa,
    imageAddresses,
    accountBounds: { keys: config.accountKeys, robots: config.accountRobots },
    accountSettings: accountSettings(config),
    mail: mailSettings(config),
  };
}
