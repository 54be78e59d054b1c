/** Tokens of the virtual robots in this browser: deleted on sign-out, when another account signs in, or when a token turns out to be invalid. */
const prefix = 'perch-robot-token:';
/** Storage name of the account that owns the tokens. */
const ownerName = 'perch-robot-tokens-of';
/** Fallback without storage: tokens until the page is closed. */
const tokens = new Map<string, string>();
let owner: string | null = null;

export function keepRobotToken(robot: string, token: string): void {
  tokens.set(robot, token);
  withStorage((storage) => storage.setItem(prefix + robot, token));
}

/** @returns undefined if none is stored: request a new one */
export function keptRobotToken(robot: string): string | undefined {
  return withStorage((storage) => storage.getItem(prefix + robot)) ?? tokens.get(robot);
}

export function forgetRobotToken(robot: string): void {
  tokens.delete(robot);
  withStorage((storage) => storage.removeItem(prefix + robot));
}

/** Deletes tokens of another account that signed in here before. */
export function claimRobotTokens(account: string): void {
  if ((withStorage((storage) => storage.getItem(ownerName)) ?? owner) !== account) forgetRobotTokens();
  owner = account;
  withStorage((storage) => storage.setItem(ownerName, account));
}

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
    // Storage is full or blocked; the map has the token.
    return undefined;
  }
}
