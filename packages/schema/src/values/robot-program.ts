/** Returns the version of the robot program in MicroPython that a robot names in its `firmware`; null: another program. */
export function programVersion(firmware: string): string | null {
  return /^micropython-\S+ perch-(\S{1,64})$/.exec(firmware)?.[1] ?? null;
}
