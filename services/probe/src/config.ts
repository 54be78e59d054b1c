import { baseUrl, defineSettings, linkPublicUrl, processSettings, type ConfigOf } from '@perch/runtime';

export const probeSettings = defineSettings({
  ...processSettings,
  baseUrl,
  apiKey: { env: 'PERCH_PROBE_API_KEY', type: 'string', secret: true, description: 'API key of the probe, which perch probe add made.' },
  linkPublicUrl,
  robotToken: {
    env: 'PERCH_PROBE_ROBOT_TOKEN',
    type: 'string',
    secret: true,
    description: "Token of the probe's robot, which perch probe add made.",
  },
  intervalMs: {
    env: 'PERCH_PROBE_INTERVAL_MS',
    type: 'int',
    unit: 'ms',
    min: 1000,
    max: 60_000,
    default: 15_000,
    description: 'How often the probe calls Perch. Every fourth time it also asks its robot a question.',
  },
  timeoutMs: {
    env: 'PERCH_PROBE_TIMEOUT_MS',
    type: 'int',
    unit: 'ms',
    min: 100,
    max: 60_000,
    default: 10_000,
    description: 'Time after which a check of the probe has failed; at most PERCH_PROBE_INTERVAL_MS, so that no check overlaps with the next one.',
  },
});

export type ProbeConfig = ConfigOf<typeof probeSettings>;

export function settingsProblems({ intervalMs, timeoutMs }: Pick<ProbeConfig, 'intervalMs' | 'timeoutMs'>): string[] {
  if (timeoutMs <= intervalMs) return [];
  return [`PERCH_PROBE_TIMEOUT_MS: ${timeoutMs} ms is more than PERCH_PROBE_INTERVAL_MS (${intervalMs} ms); a check would overlap with the next one`];
}
