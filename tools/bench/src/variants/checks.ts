/** Every variant checks a call like Perch: the key, the owner of the robot, an exact rate limit, the arguments by Perch's schema. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError, limits, parseColor, validateArgs } from '@perch/schema';
import type { RobotCommand } from '../robots/plain-robot.js';
import type { RobotSeed } from '../robots/fleet.js';

export interface Tenant {
  keys: readonly string[];
  robots: readonly RobotSeed[];
}

export const account = 'a-bench';
export const bucket = { depth: limits.bucket.depth, intervalUs: 1_000_000 / limits.bucket.perS };

export function keyHash(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

export function keyOf(authorization: string | undefined): string {
  const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) throw new ApiError('unauthorized', 'Send the API key.');
  return key;
}

export function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')));
    request.on('error', reject);
  });
}

export function ledsCommand(body: unknown): RobotCommand {
  const color = parseColor(validateArgs('leds', body).color ?? 'white');
  return { name: 'leds.set', args: { pixels: Array.from({ length: limits.leds.count }, () => color) } };
}

export function failureOf(error: unknown): { status: number; json: string } {
  const { status, code, message } = error instanceof ApiError ? error : new ApiError('internal', String(error));
  return { status, json: JSON.stringify({ ok: false, error: message, code }) };
}

export const actionPath = /^\/v1\/robots\/([^/]+)\/leds$/;

export const okJson = '{"ok":true}';

export const ackWithinMs = 5000;
