/**
 * Tokens of this browser's virtual robots: kept over reloads for the page that is the robot, gone when the person signs out, when another
 * account signs in, or when the token is no good.
 */
const prefix = 'perch-robot-token:';
/** The account whose they are. */
const ownerName = 'perch-robot-tokens-of';
/** What a browser that keeps nothing still has until the page is left. */
const tokens = new Map<string, string>();
let owner: string | null = null;

export function keepRobotToken(robot: string, token: string): void {
  tokens.set(robot, token);
  withStorage((storage) => storage.setItem(prefix + robot, token));
}

/** @returns undefined where none was kept: ask for a new one */
export function keptRobotToken(robot: string): string | undefined {
  return withStorage((storage) => storage.getItem(prefix + robot)) ?? tokens.get(robot);
}

export function forgetRobotToken(robot: string): void {
  tokens.delete(robot);
  withStorage((storage) => storage.removeItem(prefix + robot));
}

/** This account is here now, however it came: what another one left is forgotten. */
export function claimRobotTokens(account: string): void {
  if ((withStorage((storage) => storage.getItem(ownerName)) ?? owner) !== account) forgetRobotTokens();
  owner = account;
  withStorage((storage) => storage.setItem(ownerName, account));
}

/** Whoever uses this browser next is none of these robots. */
export function forgetRobotTokens(): void {
  tokens.clear();
  owner = null;
  withStorage((storage) => {
    for (const name of Object.keys(storage)) if (name === ownerName || name.startsWith(prefix)) storage.removeItem(name);
  });
}

function withStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage);
  } catch {
    // Storage is full or forbidden; the map has it.
    return undefined;
  }
}
