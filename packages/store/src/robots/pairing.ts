/** RFC 8628. The token is created when it is fetched, and returned once; until then a robot keeps its old one. After a crash it pairs once more. */
import { pairingKeys } from '../redis/keys.js';
import { ApiError } from '@perch/schema';
import type { AttemptCounter } from '../accounts/attempt-counter.js';
import { StoreError, guarded } from '../redis/errors.js';
import { newSecret, newUserCode, sha256 } from '../redis/ids.js';
import type { Connections } from '../redis/connections.js';
import type { Holder } from './robot-record.js';
import type { Robots } from './robots.js';

const lifeS = 600;
const intervalS = 3;
/** Tolerance for a robot that keeps to the interval while network latency varies. */
const pollSlackMs = 500;
/** Pairings begun within 10 minutes: about 35 MB of Redis. One site can begin at most 800 of them (attempt-counter.ts). */
const begunMax = 50_000;

export interface PairingOrigin {
  network: string;
  site: string;
}

export interface PairingBegun {
  deviceCode: string;
  /** 8 characters, displayed as XXXX-XXXX. */
  userCode: string;
  /** Seconds. */
  expiresIn: number;
  /** Between two polls, seconds. */
  interval: number;
}

export interface PairingFound {
  serial: string;
  model: string;
  firmware: string;
  network: string;
  /** The account's robot with the same serial, whose token ends at the approval; null: a new robot. */
  replaces: string | null;
}

export interface PairingApproved {
  robot: string;
  /** The account already had the robot; its former token ends when the robot fetches the new one. */
  replaced: boolean;
}

/** `holder`: a session to close with 4003. `former`: another robot, whose token this hardware presented; that token no longer works. */
export type PairingPoll =
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | { robot: string; token: string; holder: Holder | null; former: { robot: string; holder: Holder | null } | null };

export class Pairing {
  readonly #redis: Connections;
  readonly #robots: Robots;
  readonly #attempts: AttemptCounter;

  constructor(redis: Connections, robots: Robots, attempts: AttemptCounter) {
    this.#redis = redis;
    this.#robots = robots;
    this.#attempts = attempts;
  }

  /** `origin` is required for clients: without it no limit per network or site applies. @throws {ApiError} rate_limited @throws {StoreError} full */
  async begin(
    robot: { serial: string; model: string; firmware: string },
    origin?: PairingOrigin,
    formerToken: string | null = null,
  ): Promise<PairingBegun> {
    if (origin !== undefined) await this.#countOrigin(origin);
    // A serial proves nothing; a token proves which robot the hardware was.
    const former = formerToken === null ? null : await this.#robots.byToken(formerToken);
    const proof = former === null ? {} : { former: former.id, former_hash: former.tokenHash! };
    const described = { ...robot, ...proof, network: origin?.network ?? '' };
    const deviceCode = newSecret('');
    const deviceHash = sha256(deviceCode);
    const { commands } = this.#redis;
    return guarded(async () => {
      const counted = await commands.multi().set(pairingKeys.begun(), 0, 'EX', lifeS, 'NX').incr(pairingKeys.begun()).exec();
      if (Number(counted?.[1]?.[1]) > begunMax)
        throw new StoreError('full', 'Too many robots are being paired at the moment. Try again in ten minutes.');
      const userCode = await this.#takeUserCode(deviceHash);
      const record = pairingKeys.record(deviceHash);
      await commands
        .multi()
        .hset(record, { ...described, user_code: userCode })
        .expire(record, lifeS)
        .exec();
      return { deviceCode, userCode, expiresIn: lifeS, interval: intervalS };
    });
  }

  /** @returns null: no robot shows the code, or another account claimed it first @throws {ApiError} rate_limited after 10 wrong codes a minute */
  find(account: string, userCode: string): Promise<PairingFound | null> {
    return this.#counted(account, async () => {
      const deviceHash = await this.#deviceOf(userCode);
      if (deviceHash === null) return null;
      const [serial, model, firmware, network, claimedBy, approved] = await guarded(() =>
        this.#redis.commands.hmget(pairingKeys.record(deviceHash), 'serial', 'model', 'firmware', 'network', 'account', 'robot'),
      );
      if (!serial || (claimedBy && claimedBy !== account)) return null;
      const bound = await this.#robots.bySerial(account, serial);
      return { serial, model: model ?? '', firmware: firmware ?? '', network: network ?? '', replaces: bound === approved ? null : bound };
    });
  }

  /**
   * Pairs the robot that shows the code (any case, hyphen optional) with the account's robot of that serial, or a new one. Repeatable.
   * @param robotsMax including this one; unset: unlimited. A refused code stays valid, also if `replace` is false and the serial exists
   * @returns null when no robot shows the code, or another account claimed it @throws {ApiError} rate_limited @throws {StoreError} full
   */
  approve(account: string, userCode: string, robotsMax?: number): Promise<PairingApproved | null>;
  approve(account: string, userCode: string, robotsMax: number | undefined, replace: boolean): Promise<PairingApproved | { replaces: string } | null>;
  approve(account: string, userCode: string, robotsMax?: number, replace = true): Promise<PairingApproved | { replaces: string } | null> {
    return this.#counted(account, () => this.#approve(account, userCode, robotsMax, replace));
  }

  /** Counts before the lookup, so that sending many codes at once does not evade the limit; codes that exist are not counted. */
  async #counted<T>(account: string, lookUp: () => Promise<T | null>): Promise<T | null> {
    const waitS = await this.#attempts.count('code', account);
    if (waitS !== null) throw new ApiError('rate_limited', `Too many wrong codes. Try again in ${waitS} seconds.`, { retryAfterS: waitS });
    let isWrong = false;
    try {
      const found = await lookUp();
      isWrong = found === null;
      return found;
    } finally {
      if (!isWrong) await this.#attempts.takeBack('code', account).catch(() => {});
    }
  }

  #deviceOf(userCode: string): Promise<string | null> {
    const code = userCode.toUpperCase().replace(/[\s-]/g, '');
    return guarded(() => this.#redis.commands.get(pairingKeys.userCode(code)));
  }

  async #approve(
    account: string,
    code: string,
    robotsMax: number | undefined,
    replace: boolean,
  ): Promise<PairingApproved | { replaces: string } | null> {
    const deviceHash = await this.#deviceOf(code);
    const claimed = deviceHash === null ? [] : await this.#redis.script('pairingClaim', [pairingKeys.record(deviceHash)], [account]);
    if (deviceHash === null || claimed.length === 0) return null;
    const [serial, model, firmware, already] = claimed;
    const known = await this.#robots.bySerial(account, serial);
    const replaces = known === already ? null : known;
    if (!replace && replaces !== null) return { replaces };
    const bound = robotsMax === undefined ? {} : { max: robotsMax };
    const robot = await this.#robots.ensure({ account, serial, model, firmware, ...bound });
    const approved = await this.#redis.script('pairingApprove', [pairingKeys.record(deviceHash)], [account, robot]);
    return approved === 1 ? { robot, replaced: replaces !== null } : null;
  }

  /** Returns the robot's token once; the token ends the previous one. */
  async poll(deviceCode: string): Promise<PairingPoll> {
    const reply = await this.#redis.script('pairingPoll', [pairingKeys.record(sha256(deviceCode))], [intervalS * 1000 - pollSlackMs]);
    if (reply[0] === 'slow') return 'slow_down';
    if (reply[0] === 'pending') return 'authorization_pending';
    if (reply[0] === 'gone') return 'expired_token';
    const [, robot, userCode, former, formerHash] = reply;
    await guarded(() => this.#redis.commands.unlink(pairingKeys.userCode(userCode)));
    const renewed = await this.#robots.renewToken(robot);
    if (renewed === null) return 'expired_token';
    const ended = former === '' || former === robot ? null : { robot: former, holder: await this.#robots.endToken(former, formerHash) };
    return { robot, ...renewed, former: ended };
  }

  async #countOrigin({ network, site }: PairingOrigin): Promise<void> {
    const waitS = (await this.#attempts.count('pairing', network)) ?? (await this.#attempts.count('pairingSite', site));
    if (waitS === null) return;
    throw new ApiError('rate_limited', `Too many robots are being paired from your network. Try again in ${waitS} seconds.`, { retryAfterS: waitS });
  }

  async #takeUserCode(deviceHash: string): Promise<string> {
    for (;;) {
      const userCode = newUserCode();
      if ((await this.#redis.commands.set(pairingKeys.userCode(userCode), deviceHash, 'EX', lifeS, 'NX')) !== null) return userCode;
    }
  }
}
