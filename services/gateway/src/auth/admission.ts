/** Checks the API key, the robot (404 if it belongs to another account or key) and the rate-limit bucket, in one command to Redis. */
import { ApiError, limits, scopeMissing, scopesOf } from '@perch/schema';
import { isRobotId, type AdmittedKey, type BucketState, type Store } from '@perch/store';
import type { Exchange } from '../http/exchange.js';
import { unknownRobot, type RobotDirectory, type RobotNames } from '../robots/robot-directory.js';

const { depth, perS } = limits.bucket;
const policy = `"actions";q=${depth};w=${depth / perS}`;

const keyShape = /^pk_[\w-]{43}$/;

export type AdmittedExchange = Pick<Exchange, 'setHeader' | 'caller' | 'action'>;
type KeyedExchange = AdmittedExchange & { readonly request: { readonly headers: { readonly authorization?: string | undefined } } };

export class Admission {
  readonly #store: Pick<Store, 'apiKeys' | 'accountRates' | 'sessions'>;
  readonly #directory: RobotDirectory;
  readonly #names: Pick<RobotNames, 'find'>;

  constructor(store: Pick<Store, 'apiKeys' | 'accountRates' | 'sessions'>, directory: RobotDirectory, names: Pick<RobotNames, 'find'>) {
    this.#store = store;
    this.#directory = directory;
    this.#names = names;
  }

  /** `robot` as in the path, null: none. Rejected: no cost. @throws {ApiError} unauthorized, unknown_robot, scope_missing, rate_limited, service_unavailable */
  readonly admit = async (exchange: KeyedExchange, robot: string | null, cost: number): Promise<AdmittedKey> =>
    this.admitSecret(keyOf(exchange.request.headers.authorization), robot, cost, exchange);

  async admitSecret(apiKey: string, robot: string | null, cost: number, exchange: AdmittedExchange): Promise<AdmittedKey> {
    const needs = scopesOf(exchange.action);
    const found = robot === null || !isRobotId(robot) ? null : (this.#directory.cached(robot) ?? (await this.#directory.find(robot)));
    const noSuchRobot = robot !== null && found === null;
    const { accountRates } = this.#store;
    // The account's rate limit applies to its API keys. Its sessions have a bucket of their own (`admitSession`), so that the page works while programs use
    // up the limit.
    const accountCost = keyShape.test(apiKey) ? cost : 0;
    const limitLoad = found !== null && accountCost > 0 ? accountRates.loadLimit(found.record.account) : null;
    // Without knowing the account's own limit, the check would grant it the burst of another one.
    const accountRetryAfterS = found === null || limitLoad !== null ? null : accountRates.retryAfterS(found.record.account, accountCost);
    const charged = noSuchRobot || accountRetryAfterS !== null ? 0 : cost;
    // A robot never changes its account, so the cached account is always right.
    const [admission] = await Promise.all([
      this.#store.apiKeys.admit(
        found === null ? { apiKey, cost: charged, needs } : { apiKey, cost: charged, needs, robot: { id: found.id, account: found.record.account } },
      ),
      limitLoad,
    ]);
    if (!admission.ok && admission.reason === 'unauthorized') {
      throw new ApiError('unauthorized', 'The API key is not valid: unknown, revoked or expired.');
    }
    exchange.caller = admission;
    setBucket(exchange, admission);
    if (noSuchRobot && admission.ok && !isRobotId(robot)) throw unknownRobot(await this.#names.find(admission, robot));
    if (noSuchRobot || (!admission.ok && admission.reason === 'foreign_robot')) throw unknownRobot();
    if (!admission.ok && admission.reason === 'scope_missing') throw scopeMissing(exchange.action, needs, admission.scopes);
    if (!admission.ok) {
      const { retryAfterS } = admission as { retryAfterS: number };
      throw rateLimited(retryAfterS);
    }
    if (accountCost > 0) await accountRates.loadLimit(admission.account);
    const retryAfterS = accountRetryAfterS ?? accountRates.retryAfterS(admission.account, accountCost);
    accountRates.count(admission.account, accountCost, retryAfterS === null);
    if (retryAfterS !== null) throw accountLimited(accountRates.boundOf(admission.account), retryAfterS);
    return admission;
  }

  /** As `admitSecret`, with the bucket of the account that all its sessions share in place of the session's own: one more command to Redis. */
  async admitSession(secret: string, robot: string | null, cost: number, exchange: AdmittedExchange): Promise<AdmittedKey> {
    const admitted = await this.admitSecret(secret, robot, 0, exchange);
    const { retryAfterS, ...bucket } = await this.#store.sessions.take(admitted.account, cost);
    setBucket(exchange, bucket);
    if (retryAfterS > 0) throw pageLimited(retryAfterS);
    return { ...admitted, ...bucket };
  }
}

function setBucket(exchange: AdmittedExchange, { remaining, resetS }: BucketState): void {
  exchange.setHeader('ratelimit-policy', policy);
  exchange.setHeader('ratelimit', `"actions";r=${remaining};t=${resetS}`);
}

export function rateLimited(retryAfterS: number): ApiError {
  return new ApiError('rate_limited', `Too many actions with this key: ${perS} a second, bursts of ${depth}. Try again in ${retryAfterS} s.`, {
    retryAfterS,
  });
}

function pageLimited(retryAfterS: number): ApiError {
  const message = `Too many actions on the web page: an account has ${perS} a second, bursts of ${depth}, in all its browsers together. Try again in ${retryAfterS} s.`;
  return new ApiError('rate_limited', message, { retryAfterS });
}

function accountLimited(perS: number, retryAfterS: number): ApiError {
  const message = `Too many actions by all keys of this account together: the limit is ${perS} a second. Try again in ${retryAfterS} s.`;
  return new ApiError('rate_limited', message, { retryAfterS });
}

/** @throws {ApiError} unauthorized; the message reveals nothing about which keys exist */
export function keyOf(authorization: string | undefined): string {
  if (authorization === undefined) throw new ApiError('unauthorized', 'Send the API key: Authorization: Bearer <API_KEY>.');
  const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  if (!keyShape.test(key)) throw new ApiError('unauthorized', 'The API key is not valid. Send it as Authorization: Bearer <API_KEY>.');
  return key;
}
