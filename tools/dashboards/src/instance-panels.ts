import { stat, timeSeries, type PlacedPanel } from './panel.js';
import { ofComponent } from './promql.js';
import { units } from './units.js';
import { redBelowOne, worseAbove, yesNo } from './values.js';

export function instancePanels(component: string): PlacedPanel[] {
  const of = (metric: string): string => ofComponent(component, metric);
  return [
    stat(
      {
        title: 'Instances running',
        description:
          'Instances that Prometheus reaches and that are in the phase running. If there are fewer than you started, read the log of the missing one.',
        unit: units.count,
        height: 8,
        queries: [{ expr: `sum(${of('perch_instance_phase{phase="running"}')})`, legend: 'running' }],
        runbooks: ['PerchInstanceDown'],
      },
      { graph: false },
    ),
    stat(
      {
        title: 'Redis takes writes',
        description: 'Yes: every master of Redis took the last write of every instance. No: not the write of at least one.',
        unit: units.count,
        height: 8,
        queries: [{ expr: `min(${of('perch_redis_up')})`, legend: 'Redis' }],
        mappings: yesNo,
        thresholds: redBelowOne,
        page: 'redis',
      },
      { graph: false },
    ),
    timeSeries({
      title: 'Event loop delay',
      description:
        'How late the event loop of each instance runs: 99th percentile over about 10 s. Above 50 ms everything that the instance does is late: it has too much to do, or something blocks it.',
      unit: units.seconds,
      width: 8,
      queries: [{ expr: `max by (instance) (${of('perch_event_loop_delay_seconds{quantile="0.99"}')})`, legend: '{{instance}}' }],
      thresholds: worseAbove(0.05, 0.2),
    }),
    timeSeries({
      title: 'Round trip to Redis',
      description: 'How long sampled commands to Redis took, as each instance saw it: 99th percentile.',
      unit: units.seconds,
      width: 8,
      queries: [
        {
          expr: `histogram_quantile(0.99, sum by (le, instance) (${of('rate(perch_redis_round_trip_seconds_bucket[$__rate_interval])')}))`,
          legend: '{{instance}}',
        },
      ],
      page: 'redis',
    }),
    timeSeries({
      title: 'Processor',
      description: 'Processor time that each instance uses; 1 is one core. Node.js does most of its work on one core.',
      unit: units.cores,
      queries: [{ expr: `sum by (instance) (${of('rate(process_cpu_seconds_total[$__rate_interval])')})`, legend: '{{instance}}' }],
    }),
    timeSeries({
      title: 'Memory',
      description: 'Resident memory of each instance. Under a steady load it becomes flat after some minutes.',
      unit: units.bytes,
      queries: [{ expr: `sum by (instance) (${of('process_resident_memory_bytes')})`, legend: '{{instance}}' }],
    }),
  ];
}
