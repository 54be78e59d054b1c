import type { ServedAction } from '../../served.js';
import { compiler, faultyFields } from '../../served.js';
import { isRecord } from '../../generate/json.js';
import type { Probe } from '../../generate/probe.js';
import type { Schema } from '../../generate/probes.js';
import { wrong, type End } from './expected-results.js';

export interface BodyKind {
  served: ServedAction;
  probes: Readonly<Record<string, readonly Probe[]>>;
  endsOf: (body: unknown) => readonly End[];
}

export const bodyBytesMax = 16_384;

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const compile = compiler();
export const text = (more: Partial<Schema> = {}): Schema => ({ type: 'string', minLength: 1, ...more });

export function kind(
  args: Schema & { additionalProperties?: false },
  examples: Record<string, unknown>[],
  more: Partial<Omit<BodyKind, 'served'>> & { right: (body: Record<string, unknown>) => readonly End[] },
): BodyKind {
  const schema = { type: 'object', additionalProperties: false, ...args };
  const served: ServedAction = { name: '', args: schema, examples, fits: compile(schema), answerFits: compile({}), steps: null };
  return {
    served,
    probes: more.probes ?? {},
    endsOf: (body) => {
      if (!isRecord(body)) return [wrong('')];
      if (served.fits(body)) return more.right(body);
      const { errors } = served.fits;
      const others = more.right(body).flatMap(({ status, fields: named = [] }) => (status === 400 ? named : []));
      return [wrong(...faultyFields(errors), ...others)];
    },
  };
}
