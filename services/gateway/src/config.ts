/** The gateway's settings. */
import { commonSettings, defineSettings } from '@perch/runtime';

export const gatewaySettings = defineSettings({
  ...commonSettings,
  host: { env: 'PERCH_GATEWAY_HOST', type: 'string', default: '127.0.0.1', description: 'The address the HTTP interface listens on.' },
  port: { env: 'PERCH_GATEWAY_PORT', type: 'int', min: 0, max: 65_535, default: 8080, description: 'Its port; 0 takes any free one.' },
  publicUrl: {
    env: 'PERCH_PUBLIC_URL',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description:
      'The base address programs use, for the published description and as the name that /mcp answers to; left out, the one each request names, and at /mcp loopback and addresses alone.',
  },
  allowPrivateWebhooks: {
    env: 'PERCH_WEBHOOK_ALLOW_PRIVATE',
    type: 'bool',
    default: false,
    description: 'Whether webhooks may be http, and lead to private and loopback addresses.',
  },
});
