/** Opens tracing without an endpoint and prints the OpenTelemetry modules that were loaded. */
import { createRequire } from 'node:module';
import { createLogger, openTracing } from '../../src/index.js';

const log = createLogger({ level: 'silent', service: 'test', instance: 'test-1' });
const config = { tracesEndpoint: null, tracesSample: 1, tracesHeaders: null };
const tracing = await openTracing({ config, service: 'test', instance: 'test-1', log });
// The packages of OpenTelemetry are CommonJS. prom-client loads the one with the interfaces, which does not count.
const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => /@opentelemetry.(?:sdk|exporter|otlp|resources)/.test(file));
process.stdout.write(JSON.stringify({ tracing, loaded }));
