/**
 * Admits the session of an account to a robot that another account shares with it. The call then counts as the owner's: its pictures, its
 * Idempotency-Keys and its entry in the activity, which names the guest. The rate limit is that of the sessions of the guest's account.
 */
import type { RequestAction } from '@perch/runtime';
import { ApiError, defaultScopes, type KeyScope, type SharePermission } from '@perch/schema';
import { allows, type AdmittedKey, type GuestPass, type Store } from '@perch/store';
import type { Admission } from '../../auth/admission.js';
import type { Exchange } from '../../http/exchange.js';
import type { RobotDirectory } from '../../robots/robot-directory.js';

/** Requests that only read the robot; `unknown`: there is nothing at the path. */
const watching: ReadonlySet<RequestAction> = new Set<RequestAction>(['state', 'events', 'events_stream', 'screen', 'unknown']);

const scopesOf: Readonly<Record<SharePermission, readonly KeyScope[]>> = { watch: ['read'], use: defaultScopes };

export class GuestAdmission {
  readonly #guests: Pick<Store['guests'], 'find'>;
  readonly #directory: Pick<RobotDirectory, 'find'>;
  readonly #admission: Pick<Admission, 'admitSession'>;

  constructor(guests: Pick<Store['guests'], 'find'>, directory: Pick<RobotDirectory, 'find'>, admission: Pick<Admission, 'admitSession'>) {
    this.#guests = guests;
    this.#directory = directory;
    this.#admission = admission;
  }

  /**
   * @param exchange its caller is the account of the session, which was refused the robot
   * @returns null when the robot is not shared with the account @throws {ApiError} scope_missing, which costs nothing; rate_limited
   */
  async admit(secret: string, robot: string, cost: number, exchange: Exchange): Promise<AdmittedKey | null> {
    const { caller, action } = exchange;
    const known = caller === null ? null : await this.#directory.find(robot);
    const guest = known === null ? null : await this.#guests.find(known.id, caller!.account);
    if (known === null || guest === null) return null;
    const needs: SharePermission = watching.has(action) ? 'watch' : 'use';
    const pass: GuestPass = { robot: known.id, account: guest.account, email: guest.email, needs };
    const owned = { account: known.record.account, guest: pass };
    try {
      if (!allows(guest.permission, needs)) throw mayOnlyWatch();
      const admitted = await this.#admission.admitSession(secret, null, cost, exchange);
      return { ...admitted, ...owned, robots: [known.id], scopes: scopesOf[guest.permission] };
    } finally {
      // Also a refusal belongs to the activity of the owner.
      exchange.caller = { ...caller!, ...owned };
    }
  }
}

function mayOnlyWatch(): ApiError {
  return new ApiError('scope_missing', 'This robot is shared with you to watch. Ask its owner to let you use it.');
}
