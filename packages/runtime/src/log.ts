/** JSON lines on stdout. Secrets are redacted by the name of their field, and by their form anywhere in a line. */
import { escapeUnsafe } from '@perch/schema/plain';
import { pino, type DestinationStream, type Logger } from 'pino';
import { isOutside, limitEqualLines } from './equal-lines.js';

export type { Logger } from 'pino';

export interface LogOptions {
  level: string;
  service: string;
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

/** @param destination for tests. Default: stdout. */
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
    // When the reader of stdout has closed it, pino's destination drops lines; process.stdout would throw EPIPE and end a draining service.
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

/** Removes secrets from a line and escapes C1 and text-direction characters: JSON does not, and a terminal that shows the log would execute them. */
function printable(line: string): string {
  return `${escapeUnsafe(withoutSecrets(line.trimEnd()))}\n`;
}

/** Redacts API keys, session and sign-in secrets, robot tokens, webhook secrets and passwords in URLs, anywhere in a text. */
export function withoutSecrets(text: string): string {
  return (
    text
      .replace(/\b(pk|ps|pd|pg|pl|pi|po|pr|pv|rt|whsec)_[\w+/=-]{20,}/g, '$1_[redacted]')
      .replace(/(Bearer )[\w.~+/=-]{8,}/gi, '$1[redacted]')
      // One that is not percent-encoded has more of these characters.
      .replace(/(\brediss?(?:-\w+)?:\/\/[^\s:/@"]*:)[^\s"]+@/g, '$1[redacted]@')
      .replace(/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, '$1[redacted]@')
      .replace(/([?&](?:password|sentinelPassword)=)[^\s&"]+/g, '$1[redacted]')
  );
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

/**
 * Returns a fixed list of fields: errors of the Redis client carry the failed command, whose arguments contain keys and pictures. Of an error from
 * outside the stack tells nothing, and neither does a cause that the message repeats.
 */
function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, kind, status, field } = error as Error & Record<'code' | 'kind' | 'status' | 'field', unknown>;
  const isCauseRepeated = isOutside(error) && error.cause instanceof Error && error.message.includes(error.cause.message);
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined || isOutside(error) ? {} : { stack: error.stack }),
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(field === undefined ? {} : { field }),
    ...(error.cause === undefined || isCauseRepeated || depth >= 4 ? {} : { cause: errorFields(error.cause, depth + 1) }),
  };
}
