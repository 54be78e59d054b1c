/**
 * The process's log: JSON lines on stdout, constant messages with values in fields, and no secret in any of them.
 * Secrets are caught twice: by the name of their field, and by their shape wherever they stand in a line.
 */
import { escapeUnsafe } from '@perch/schema/plain';
import { pino, type DestinationStream, type Logger } from 'pino';
import { limitEqualLines } from './equal-lines.js';

export type { Logger } from 'pino';

export interface LogOptions {
  level: string;
  /** `gateway`, `robot-link`, ... */
  service: string;
  /** `gw-xxxxxx`. */
  instance: string;
}

const secretFields = [
  'authorization',
  'Authorization',
  'cookie',
  'token',
  'robotToken',
  'apiKey',
  'api_key',
  'key',
  'password',
  'secret',
  'deviceCode',
  'device_code',
  'userCode',
  'user_code',
];

const secretPaths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** @param destination for tests; stdout otherwise */
export function createLogger(options: LogOptions, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service, instance: options.instance },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      redact: { paths: secretPaths, censor: '[redacted]' },
      hooks: { streamWrite: printable, logMethod: limitEqualLines() },
    },
    // pino's own stdout drops lines once its reader is gone; process.stdout would throw EPIPE and end a draining service.
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

/** A line of JSON without secrets. JSON leaves C1 and text-direction characters raw, which a terminal that shows the log would execute. */
function printable(line: string): string {
  return `${escapeUnsafe(withoutSecrets(line.trimEnd()))}\n`;
}

/** API keys, secrets of sessions and links, robot tokens, secrets of webhooks and the passwords of URLs, wherever they stand in a text. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\b(pk|ps|pd|pl|pi|po|rt|whsec)_[\w+/=-]{20,}/g, '$1_[redacted]')
    .replace(/(Bearer )[\w.~+/=-]{8,}/gi, '$1[redacted]')
    .replace(/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, '$1[redacted]@');
}

interface ErrorFields {
  type: string;
  message: string;
  stack?: string;
  code?: unknown;
  kind?: unknown;
  status?: unknown;
  field?: unknown;
  cause?: ErrorFields;
}

/** A fixed list of fields: a Redis client's errors carry the failed command with its arguments, which hold keys and pictures. */
function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, kind, status, field } = error as Error & Record<'code' | 'kind' | 'status' | 'field', unknown>;
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(field === undefined ? {} : { field }),
    ...(error.cause === undefined || depth >= 4 ? {} : { cause: errorFields(error.cause, depth + 1) }),
  };
}
