import type { GuestPass, Store } from '@perch/store';
import type { CachedRobot, RobotDirectory } from '../../robots/robot-directory.js';
import { ApiError } from '@perch/schema';

interface Access {
  known: CachedRobot;
  /** The account that owns the robot. */
  owner: string;
  /** Null: it is the account that asked. */
  guest: GuestPass | null;
}

/** Decides whether an account may watch a robot: its own, or one that is shared with it. */
export class RobotAccess {
  readonly #guests: Pick<Store['guests'], 'find'>;
  readonly #directory: Pick<RobotDirectory, 'find' | 'read'>;

  constructor(guests: Pick<Store['guests'], 'find'>, directory: Pick<RobotDirectory, 'find' | 'read'>) {
    this.#guests = guests;
    this.#directory = directory;
  }

  /** @param fresh whether to read the robot's record again, if it may have been removed since @throws {ApiError} unknown_robot */
  async watch(account: string, robot: string, { fresh = false } = {}): Promise<Access> {
    const known = await (fresh ? this.#directory.read(robot) : this.#directory.find(robot));
    if (known === null) throw noSuchRobot();
    const owner = known.record.account;
    if (owner === account) return { known, owner, guest: null };
    const guest = await this.#guests.find(known.id, account);
    if (guest === null) throw noSuchRobot();
    return { known, owner, guest: { robot: known.id, account, email: guest.email, needs: 'watch' } };
  }
}

export function noSuchRobot(): ApiError {
  return new ApiError('unknown_robot', 'This account has no such robot; it may have been removed.');
}
