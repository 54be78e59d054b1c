import { defineSettings, type ConfigOf } from '../config.js';

export const traceSettings = defineSettings({
  tracesEndpoint: {
    env: 'PERCH_TRACES_ENDPOINT',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description:
      'Base URL of the OpenTelemetry collector, such as http://collector:4318. Traces are sent as OTLP over HTTP (JSON), to /v1/traces unless the URL has a path. If unset, tracing is off.',
  },
  tracesSample: {
    env: 'PERCH_TRACES_SAMPLE',
    type: 'number',
    min: 0,
    max: 1,
    default: 0.01,
    description: 'Share of all calls that is traced, chosen at random, whatever the caller sends. Has no effect without PERCH_TRACES_ENDPOINT.',
  },
  tracesHeaders: {
    env: 'PERCH_TRACES_HEADERS',
    type: 'string',
    secret: true,
    default: null,
    description: 'HTTP headers for the collector, such as an API key: name=value pairs separated by commas.',
  },
});

export function traceProblems({ tracesHeaders }: ConfigOf<typeof traceSettings>): string[] {
  return tracesHeaders === null || parseHeaders(tracesHeaders) !== null
    ? []
    : ['PERCH_TRACES_HEADERS: must be name=value pairs separated by commas, with names and values that HTTP allows.'];
}

/** Values may be percent-encoded, as in W3C Baggage. */
export function parseHeaders(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || encoded === undefined) return null;
    const value = decoded(encoded);
    if (value === null || /[^\t\x20-\x7e\x80-\xff]/.test(value)) return null;
    headers[name] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}
