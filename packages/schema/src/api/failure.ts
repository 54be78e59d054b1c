import { Type } from 'typebox';
import type { Static } from 'typebox';
import { errorCodes } from '../base/error.js';
import type { ErrorCode } from '../base/error.js';
import { oneOf, openObject } from '../base/open-object.js';

export const FailureSchema = Type.Object(
  {
    ok: Type.Literal(false),
    error: Type.String({ description: 'A sentence: what is wrong, where, and what to do.' }),
    code: oneOf(Object.keys(errorCodes) as ErrorCode[], {
      description: Object.entries(errorCodes)
        .map(([code, { status, title }]) => `- \`${code}\` (${status}): ${title}`)
        .join('\n'),
    }),
    request_id: Type.String({ description: 'Identifies this call in the logs of the service.' }),
    field: Type.Optional(Type.String({ description: "Path of the argument at fault, or of the scene's action that failed." })),
    next: Type.Optional(Type.String({ description: 'What to do next, where there is more to say than the sentence does.' })),
    results: Type.Optional(
      Type.Array(openObject(), { description: 'For a scene: the responses of the actions that ran before the one that failed.' }),
    ),
  },
  { description: 'Response of a failed call.' },
);

export type Failure = Static<typeof FailureSchema>;

/** For clients that accept application/problem+json: adds the members of RFC 9457. */
export const ProblemSchema = Type.Object({
  ...FailureSchema.properties,
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
});

/** Ascending. */
export const errorStatuses: readonly number[] = [...new Set(Object.values(errorCodes).map(({ status }) => status))].sort((a, b) => a - b);
