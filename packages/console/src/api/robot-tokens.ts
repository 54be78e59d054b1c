/** Tokens of virtual robots, from where they are answered to the page that uses them: in memory alone, gone when the tab is. */
const tokens = new Map<string, string>();

export function keepRobotToken(robot: string, token: string): void {
  tokens.set(robot, token);
}

/** @returns undefined where none was kept: ask for a new one */
export function keptRobotToken(robot: string): string | undefined {
  return tokens.get(robot);
}

export function forgetRobotToken(robot: string): void {
  tokens.delete(robot);
}
