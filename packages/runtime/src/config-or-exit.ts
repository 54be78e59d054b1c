import { ConfigError, loadConfig, type ConfigOf, type Settings } from './config.js';
import { redisProblems, type redisSettings } from './redis-settings.js';
import { traceProblems, type traceSettings } from './traces/trace-settings.js';

/** Writes wrong settings to stderr without a stack and exits with 1. @param together returns conflicts between valid settings, a sentence each */
export function configOrExit<const S extends Settings & typeof redisSettings & typeof traceSettings>(
  settings: S,
  env: Record<string, string | undefined>,
  together: (config: ConfigOf<S>) => string[] = () => [],
): ConfigOf<S> {
  return settingsOrExit(settings, env, (config) => {
    const common = config as ConfigOf<Settings> as ConfigOf<typeof redisSettings & typeof traceSettings>;
    return [...redisProblems(common), ...traceProblems(common), ...together(config)];
  });
}

/** Does the same for a service without Redis and traces. */
export function settingsOrExit<const S extends Settings>(
  settings: S,
  env: Record<string, string | undefined>,
  together: (config: ConfigOf<S>) => string[] = () => [],
): ConfigOf<S> {
  try {
    const config = loadConfig(settings, env);
    const problems = together(config);
    if (problems.length > 0) throw new ConfigError(problems);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
