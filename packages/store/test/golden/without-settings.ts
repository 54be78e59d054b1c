/** The files of robots and leases have no settings, which the step `robot-settings` reads. */
export function withoutSettings(read: object | null): unknown {
  const { settings: _settings, ...others } = { settings: undefined, ...read };
  return others;
}
