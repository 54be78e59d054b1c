/** One action on every robot with a label: `POST /v1/groups/{label}/{action}`. */
import { ApiError, groupActions, groupAnswersModes, nextRequests, type GroupAction, type GroupAnswers } from '@perch/schema';
import { rateLimited } from '../auth/admission.js';
import { ClientGone } from '../calls/failures.js';
import type { GroupCalls } from '../groups/group-calls.js';
import type { JsonBodies } from '../http/json-body.js';
import { queryArguments } from '../http/query.js';
import { badIdempotencyKey, idempotencyHeader, isIdempotencyKey } from '../idempotency/idempotency-key.js';
import type { RestRequest, RestRoute } from './rest.js';

export function groupRoutes(groups: GroupCalls, bodies: JsonBodies): RestRoute[] {
  async function act({ exchange, key, admit, params, query }: RestRequest, action: GroupAction): Promise<object> {
    if (key.remaining === 0) throw rateLimited(1);
    // The cost depends on the number of robots.
    const charge = (cost: number): Promise<unknown> => admit(exchange, null, cost);
    let body: unknown;
    let answers: GroupAnswers | null;
    const idempotencyKey = exchange.request.headers[idempotencyHeader] ?? null;
    try {
      body = await bodies.read(exchange, key.account);
      answers = answersOf(query);
      if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) throw badIdempotencyKey();
    } catch (error) {
      if (!(error instanceof ClientGone)) await charge(1);
      throw error;
    }
    const call = { exchange, key, label: params['label']!, action, body, answers, idempotencyKey, cancelled: null, advice: nextRequests, charge };
    return (await groups.run(call)).answer;
  }

  return groupActions.map((action) => ({
    method: 'POST',
    path: `groups/{label}/${action}`,
    cost: 0,
    label: 'groups',
    handle: (request) => act(request, action),
  }));
}

/** @throws {ApiError} bad_argument */
function answersOf(query: string): GroupAnswers | null {
  const { answers } = queryArguments(query, ['answers']);
  if (answers === undefined) return null;
  const mode = groupAnswersModes.find((each) => each === answers);
  if (mode === undefined) throw new ApiError('bad_argument', `answers: must be ${groupAnswersModes.join(' or ')}`, { field: 'answers' });
  return mode;
}
