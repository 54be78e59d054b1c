/** Releases before 0.10.0 did not read settings; the step `robot-settings` does. */
export function withoutSettings(read: object | null): unknown {
  const { settings: _settings, ...others } = { settings: undefined, ...read };
  return others;
}
