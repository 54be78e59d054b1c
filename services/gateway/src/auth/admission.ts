/**
 * Who may come in: the key, then the robot (404 when it is not the key's), then the bucket, in one command to Redis.
 * Every answer under /v1/robots tells the state of the bucket.
 */
import { ApiError, limits } from '@perch/schema';
import { isRobotId, type AdmittedKey, type Store } from '@perch/store';
import type { Exchange } from '../http/exchange.js';
import { unknownRobot, type RobotDirectory } from '../robots/robot-directory.js';

const { depth, perS } = limits.bucket;
const policy = `"actions";q=${depth};w=${depth / perS}`;

/** What takes longer is asked again: a revoked key stops working within a second. */
export const admittedForMs = 750;

const keyShape = /^pk_[\w-]{43}$/;

export class Admission {
  readonly #store: Pick<Store, 'apiKeys' | 'accountRates'>;
  readonly #directory: RobotDirectory;

  constructor(store: Pick<Store, 'apiKeys' | 'accountRates'>, directory: RobotDirectory) {
    this.#store = store;
    this.#directory = directory;
  }

  /**
   * @param authorization the header as it came
   * @param robot as the path has it, or null where the path names none
   * @param cost actions the call takes from the bucket, all or none; refused calls cost nothing
   * @throws {ApiError} unauthorized, unknown_robot, rate_limited, service_unavailable
   */
  async admit(authorization: string | undefined, robot: string | null, cost: number, exchange: Pick<Exchange, 'setHeader'>): Promise<AdmittedKey> {
    return this.admitSecret(keyOf(authorization), robot, cost, exchange);
  }

  /** As `admit`, by the secret itself: an API key, or a session's. */
  async admitSecret(apiKey: string, robot: string | null, cost: number, exchange: Pick<Exchange, 'setHeader'>): Promise<AdmittedKey> {
    const named = robot === null || !isRobotId(robot) ? null : (this.#directory.cached(robot) ?? (await this.#directory.find(robot)));
    const noSuchRobot = robot !== null && named === null;
    const { accountRates } = this.#store;
    // The bound of the account holds for its keys, not for its sessions at the page.
    const bounded = keyShape.test(apiKey) ? cost : 0;
    const learned = named !== null && bounded > 0 ? accountRates.know(named.record.account) : null;
    // By another bound than its own, the account would be given that bound's burst.
    const overFor = named === null || learned !== null ? null : accountRates.retryAfterS(named.record.account, bounded);
    const charged = noSuchRobot || overFor !== null ? 0 : cost;
    // A robot never changes its account, so that a remembered one is as good as a fresh one.
    const [admission] = await Promise.all([
      this.#store.apiKeys.admit(
        named === null ? { apiKey, cost: charged } : { apiKey, cost: charged, robot: { id: named.id, account: named.record.account } },
      ),
      learned,
    ]);
    if (!admission.ok && admission.reason === 'unauthorized') {
      throw new ApiError('unauthorized', 'The API key is not valid: unknown, revoked or expired.');
    }
    exchange.setHeader('ratelimit-policy', policy);
    exchange.setHeader('ratelimit', `"actions";r=${admission.remaining};t=${admission.resetS}`);
    if (noSuchRobot || (!admission.ok && admission.reason === 'foreign_robot')) throw unknownRobot();
    if (!admission.ok) {
      const { retryAfterS } = admission as { retryAfterS: number };
      throw rateLimited(retryAfterS);
    }
    if (bounded > 0) await accountRates.know(admission.account);
    const retryAfterS = overFor ?? accountRates.retryAfterS(admission.account, bounded);
    accountRates.count(admission.account, bounded, retryAfterS === null);
    if (retryAfterS !== null) throw accountLimited(accountRates.boundOf(admission.account), retryAfterS);
    return admission;
  }
}

/** @param retryAfterS whole seconds, at least 1 */
export function rateLimited(retryAfterS: number): ApiError {
  return new ApiError('rate_limited', `Too many actions with this key: ${perS} a second, bursts of ${depth}. Try again in ${retryAfterS} s.`, {
    retryAfterS,
  });
}

function accountLimited(perS: number, retryAfterS: number): ApiError {
  const sentence = `Too many actions with all keys of this account together: its limit is ${perS} a second. Try again in ${retryAfterS} s.`;
  return new ApiError('rate_limited', sentence, { retryAfterS });
}

/** @throws {ApiError} unauthorized, without a word about which part was wrong beyond what helps an honest caller */
export function keyOf(authorization: string | undefined): string {
  if (authorization === undefined) throw new ApiError('unauthorized', 'Send the API key: Authorization: Bearer <API_KEY>.');
  const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  if (!keyShape.test(key)) throw new ApiError('unauthorized', 'The API key is not valid. Send it as Authorization: Bearer <API_KEY>.');
  return key;
}
