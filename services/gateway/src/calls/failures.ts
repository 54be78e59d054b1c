import { ApiError, nackCodes, type ErrorCode } from '@perch/schema';
import { StoreError, UncertainWrite } from '@perch/store';

/** Abort reason of a call whose client disconnected; no response can be delivered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Abort reason of a call with an Idempotency-Key that another gateway has taken over. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

/** Abort reason of a question to a group that ends with the first answer: another robot of the group was answered. */
export class OtherAnswered extends Error {
  override readonly name = 'OtherAnswered';
}

export function draining(): ApiError {
  return new ApiError('draining', 'This instance of the service is stopping. Send the call again.', { retryAfterS: 1 });
}

const refusals: ReadonlySet<ErrorCode> = new Set(Object.values(nackCodes));

/** Returns the failure of a command or a question, whose text is the robot's if the robot refused it. */
export function robotFailure(code: ErrorCode, error: string): ApiError {
  return new ApiError(code, error, { untrusted: refusals.has(code) ? ['error'] : [] });
}

export function isDraining(reason: unknown): boolean {
  return reason instanceof ApiError && reason.code === 'draining';
}

const storageIsFull =
  "The service's storage is full: nothing new can be stored. Reading state and events, stop, revoking keys, removing and signing out still work.";

const whenAway = 'Try again shortly.';
const whenRefused = 'Try again shortly; if it goes on, the operator of the service has to act.';

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UncertainWrite) {
    const advice = 'It may have been executed: check before you try again.';
    return error.outOfMemory
      ? new ApiError('storage_full', `${storageIsFull} ${advice}`, { cause: error, retryAfterS: 10 })
      : new ApiError('service_unavailable', `${error.storageProblem} ${advice}`, { cause: error, retryAfterS: 1 });
  }
  if (error instanceof StoreError) {
    if (error.outOfMemory) return new ApiError('storage_full', storageIsFull, { cause: error, retryAfterS: 10 });
    return error.kind === 'full'
      ? new ApiError('storage_full', `${error.message} Try again in a minute.`, { cause: error, retryAfterS: 5 })
      : new ApiError('service_unavailable', `${error.storageProblem} ${error.refusal === null ? whenAway : whenRefused}`, {
          cause: error,
          retryAfterS: 1,
        });
  }
  return new ApiError('internal', 'An internal error occurred. Quote the request id when you report it.', { cause: error });
}
