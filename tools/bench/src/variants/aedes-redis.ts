/** The emitter turns on automatic pipelines, but drops its options where it is given a URL. */
export function emitterOptions(redisUrl: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(redisUrl);
  return { host, port: Number(port) };
}
