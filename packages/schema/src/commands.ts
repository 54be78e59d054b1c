/** The robot's own commands: which are never passed on, which are offered, and whether arguments fit what the robot declared. */

/** What stays out whatever a robot declares (robot-link.md, "The robot's own commands"). */
export const excludedPatterns = [
  'app_*',
  'restart',
  'power_off',
  'factory_reset',
  'firmware_*',
  '*_stream',
  'camera_*',
  'mic_*',
  'wifi_*',
  'server_*',
  'pair_*',
] as const;

const excluded = new RegExp(`^(${excludedPatterns.map((pattern) => pattern.replace('*', '.*')).join('|')})$`, 's');

/** Whether a command is never passed on; upper case and other separators (`App.Start`) do not get around it. */
export function excludedCommand(name: string): boolean {
  return excluded.test(name.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_'));
}
