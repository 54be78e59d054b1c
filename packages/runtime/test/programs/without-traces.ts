/** Opens tracing without an endpoint and prints which modules of OpenTelemetry that loaded. */
import { createRequire } from 'node:module';
import { createLogger, openTracing } from '../../src/index.js';

const log = createLogger({ level: 'silent', service: 'test', instance: 'test-1' });
const config = { tracesEndpoint: null, tracesSample: 1, tracesHeaders: null };
const tracing = await openTracing({ config, service: 'test', instance: 'test-1', log });
// All of OpenTelemetry's packages are CommonJS. prom-client loads the one with the interfaces.
const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => /@opentelemetry.(?:sdk|exporter|otlp|resources)/.test(file));
process.stdout.write(JSON.stringify({ tracing, loaded }));
