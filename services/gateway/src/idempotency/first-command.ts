/** Begins a call by publishing its first command: one script does both or neither, and saves the exchange with Redis that a beginning takes. */
import type { ToLink } from '@perch/schema';
import { StoreError, type BeginResult, type Claim, type Store } from '@perch/store';

/** Another request began the call, so that this one has sent nothing. */
export class OtherBegan extends Error {
  override readonly name = 'OtherBegan';
  readonly found: Exclude<BeginResult, { state: 'begun' | 'adopted' }>;

  constructor(found: OtherBegan['found']) {
    super(`the call is ${found.state}`);
    this.found = found;
  }
}

export interface FirstCommandOptions {
  calls: Pick<Store['calls'], 'begin' | 'beginWith'>;
  robot: string;
  name: string;
  account: string;
  claim: Claim;
}

export class FirstCommand {
  readonly #options: FirstCommandOptions;
  #tried = false;
  /** Why it is unknown whether the call began; null: it is known. */
  #doubt: StoreError | null = null;
  /** Why it certainly did not begin. */
  #failure: Error | null = null;

  constructor(options: FirstCommandOptions) {
    this.#options = options;
  }

  /** As `Mailbox.send`. @throws {OtherBegan} and, as `Calls.begin`, StoreError */
  async publish(link: string, message: ToLink): Promise<number | null> {
    const { calls, robot, name, account, claim } = this.#options;
    this.#tried = true;
    try {
      const { found, receivers } = await calls.beginWith(robot, name, claim, account, link, message);
      if (found.state === 'begun') return receivers;
      throw new OtherBegan(found as OtherBegan['found']);
    } catch (error) {
      if (error instanceof StoreError && error.fate !== 'not_done') this.#doubt = error;
      else this.#failure = error as Error;
      throw error;
    }
  }

  /**
   * Returns once the record of a failed call certainly has the claim: a replay must be found even if the action failed before its first command.
   * If Redis does not say whether the call had begun, it begins now, which a script that is executed later finds.
   * @returns the error of a command that certainly was not sent; null: the action's own counts
   * @throws {OtherBegan}; why it did not begin; StoreError: unknown still
   */
  async begun(): Promise<StoreError | null> {
    const { calls, robot, name, account, claim } = this.#options;
    if (this.#failure !== null) throw this.#failure;
    if (this.#tried && this.#doubt === null) return null;
    const found = await calls.begin(robot, name, claim, account);
    if (found.state === 'begun') return this.#doubt;
    if (found.state === 'running' && found.claim === claim.claim) return null;
    throw new OtherBegan(found as OtherBegan['found']);
  }

  /** Whether Redis failed to say if the call began. */
  get isDoubtful(): boolean {
    return this.#doubt !== null;
  }
}
