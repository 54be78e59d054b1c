/**
 * The images' HEALTHCHECK: exits with 0 if the process answers /healthz. A draining instance is healthy but not ready; load balancers ask /readyz.
 * `node /perch/healthcheck.mjs readyz` asks /readyz instead, for operators who replace instances one by one.
 */
const { PERCH_ADMIN_PORT: port } = process.env;
const [path = 'healthz'] = process.argv.slice(2);
const ok = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(ok ? 0 : 1);
