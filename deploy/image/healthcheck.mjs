/**
 * The images' HEALTHCHECK: exits with 0 when the process answers /healthz. /readyz is for load balancers: an instance that drains is healthy, but not ready.
 * `node /perch/healthcheck.mjs readyz` asks for that instead, for operators who replace instances one by one.
 */
const { PERCH_ADMIN_PORT: port } = process.env;
const [path = 'healthz'] = process.argv.slice(2);
const ok = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(ok ? 0 : 1);
