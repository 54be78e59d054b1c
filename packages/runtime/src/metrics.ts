/** The process's metrics: one registry that main builds and hands on, with Node's own metrics and the event loop's delay in it. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { measureEventLoopDelay } from './event-loop-delay.js';

/** @param service becomes the label `service` of every metric; instances are told apart by whoever scrapes them */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  measureEventLoopDelay(registry);
  return registry;
}
