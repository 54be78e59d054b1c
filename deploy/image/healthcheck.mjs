/** The images' HEALTHCHECK: exits with 0 when the process answers /healthz. /readyz is for load balancers: an instance that drains is healthy, but not ready. */
const { PERCH_ADMIN_PORT: port } = process.env;
const ok = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(ok ? 0 : 1);
