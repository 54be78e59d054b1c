/** The answer of every call that failed. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { errorCodes } from '../api/error.js';
import type { ErrorCode } from '../api/error.js';
import { oneOf, openObject } from '../validation/open-object.js';

export const FailureSchema = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.String({ description: 'A sentence: what was wrong, where, and what to do.' }),
    code: oneOf(Object.keys(errorCodes) as ErrorCode[], {
      description: Object.entries(errorCodes)
        .map(([code, { status, title }]) => `- \`${code}\` (${status}): ${title}`)
        .join('\n'),
    }),
    request_id: Type.String({ description: 'Names this call in the logs of the service.' }),
    field: Type.Optional(Type.String({ description: 'Path of the argument at fault, where it is one, or of the action of a scene that failed.' })),
    results: Type.Optional(
      Type.Array(openObject(), { description: 'Of a scene: the answers of the actions that were done before the one that failed.' }),
    ),
  },
  { description: 'What a call that failed answers.' },
);

export type Failure = Static<typeof FailureSchema>;

/** The same for clients that accept application/problem+json: RFC 9457's members beside ours. */
export const ProblemSchema = Type.Object({
  ...FailureSchema.properties,
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
});

/** The statuses of the table, ascending. */
export const errorStatuses: readonly number[] = [...new Set(Object.values(errorCodes).map(({ status }) => status))].sort((a, b) => a - b);
