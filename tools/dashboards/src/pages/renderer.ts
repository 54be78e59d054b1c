import { instancePanels } from '../instance-panels.js';
import { mediaPanel } from '../media-panel.js';
import { createPage, instanceVariable } from '../page.js';
import { stat, timeSeries } from '../panel.js';
import { perSecond, perSecondSeen, quantile, sum } from '../promql.js';
import { units } from '../units.js';
import { worseAbove } from '../values.js';

const here = 'instance=~"$instance"';

export const renderer = createPage({
  name: 'renderer',
  title: 'Perch: renderer',
  description: 'Renderers: pictures and sounds that are made, how long that takes, and what waits.',
  variables: [instanceVariable('renderer')],
  sections: [
    {
      title: 'Queue',
      panels: [
        stat({
          title: 'Waiting',
          description: 'Pictures and sounds that no renderer has taken yet, of all instances.',
          unit: units.count,
          height: 8,
          queries: [{ expr: 'sum(max by (queue) (perch_render_waiting_jobs))', legend: 'waiting' }],
          thresholds: worseAbove(20, 100),
          runbooks: ['PerchQueueStuck'],
        }),
        stat({
          title: 'Oldest waiting',
          description: 'Age of the oldest picture or sound that no renderer has taken yet.',
          unit: units.seconds,
          height: 8,
          queries: [{ expr: 'max(perch_render_oldest_waiting_job_seconds)', legend: 'oldest' }],
          thresholds: worseAbove(1, 5),
          runbooks: ['PerchQueueStuck'],
        }),
        timeSeries({
          title: 'Waiting, by queue',
          description: 'Jobs that no renderer has taken yet: scenes (and sounds), and uploads (pictures that contain uploads).',
          unit: units.count,
          width: 8,
          queries: [{ expr: 'max by (queue) (perch_render_waiting_jobs)', legend: '{{queue}}' }],
          runbooks: ['PerchQueueStuck'],
        }),
        timeSeries({
          title: 'In work',
          description: 'Jobs that each instance works on, or that wait in it for a free process.',
          unit: units.count,
          width: 8,
          queries: [{ expr: sum('perch_render_open_jobs', { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
      ],
    },
    {
      title: 'Jobs',
      panels: [
        timeSeries(
          {
            title: 'Jobs by outcome',
            description:
              'Pictures (draw) and sounds a second, by outcome. bad_picture: an upload could not be decoded; dropped: no caller waited any longer; failed: a fault of ours.',
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen('perch_render_jobs_total', { where: here, by: 'kind, outcome' }), legend: '{{kind}} {{outcome}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries({
          title: 'Size of what was made',
          description: 'Size of pictures and sounds: median and 99th percentile.',
          unit: units.bytes,
          queries: [0.5, 0.99].map((q) => ({
            expr: quantile(q, 'perch_render_bytes', { where: here, by: 'kind' }),
            legend: `{{kind}} ${q * 100} %`,
          })),
        }),
        timeSeries({
          title: 'Time to make one',
          description: 'From taking a job to having its picture (draw) or sound: median and 99th percentile.',
          unit: units.seconds,
          queries: [0.5, 0.99].map((q) => ({
            expr: quantile(q, 'perch_render_duration_seconds', { where: here, by: 'kind' }),
            legend: `{{kind}} ${q * 100} %`,
          })),
        }),
        timeSeries({
          title: 'Time in the queue',
          description:
            'From the call that asked for a picture or sound to a renderer taking the job: median and 99th percentile. Includes the difference between the clocks of the two machines.',
          unit: units.seconds,
          queries: [0.5, 0.99].map((q) => ({
            expr: quantile(q, 'perch_render_wait_seconds', { where: here, by: 'kind' }),
            legend: `{{kind}} ${q * 100} %`,
          })),
        }),
      ],
    },
    {
      title: 'What is kept',
      panels: [
        mediaPanel(),
        timeSeries({
          title: 'Refused and dropped',
          description:
            'Pictures and sounds that gateways refused as busy because the account had used up its share, or dropped because no caller waited any longer; each a second.',
          unit: units.perSecond,
          queries: [
            { expr: perSecond('perch_gateway_renders_busy_total'), legend: 'refused: busy' },
            { expr: perSecond('perch_gateway_renders_dropped_total'), legend: 'dropped' },
          ],
          page: 'gateway',
        }),
      ],
    },
    { title: 'Instances', panels: instancePanels('renderer') },
  ],
});
