import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { replaceUnsafe } from '../base/plain-text.js';
import { shortText } from './fields.js';

export const PairRequestSchema = Type.Object({ serial: shortText(), model: shortText(), firmware: shortText() });
export type PairRequest = Static<typeof PairRequestSchema>;

export const PairTokenRequestSchema = Type.Object({ device_code: Type.String({ minLength: 1, maxLength: 128 }) });
export type PairTokenRequest = Static<typeof PairTokenRequestSchema>;

export const pairTokenErrors = ['authorization_pending', 'slow_down', 'expired_token'] as const;
export type PairTokenError = (typeof pairTokenErrors)[number];

const isPairRequest = compile<PairRequest>(PairRequestSchema);
const isPairTokenRequest = compile<PairTokenRequest>(PairTokenRequestSchema);

/** Replaces unsafe characters, which a robot cannot correct. */
export function parsePairRequest(body: unknown): PairRequest | { problem: string } {
  if (!isPairRequest(body)) return { problem: problemText(argumentProblem(isPairRequest.errors, body, 'pair')) };
  const { serial, model, firmware } = body;
  return { serial: replaceUnsafe(serial), model: replaceUnsafe(model), firmware: replaceUnsafe(firmware) };
}

export function parsePairTokenRequest(body: unknown): PairTokenRequest | { problem: string } {
  return isPairTokenRequest(body) ? body : { problem: problemText(argumentProblem(isPairTokenRequest.errors, body, 'pair/token')) };
}

function problemText({ field, message }: { field?: string; message: string }): string {
  return field === undefined ? message : `${field}: ${message}`;
}
