import { instancePanels } from '../instance-panels.js';
import { createPage, instanceVariable } from '../page.js';
import { stat, timeSeries } from '../panel.js';
import { perSecond, quantile, sum } from '../promql.js';
import { units } from '../units.js';
import { orangeAboveZero, worseAbove, worseBelow } from '../values.js';

const here = 'instance=~"$instance"';

export const webhooks = createPage({
  name: 'webhooks',
  title: 'Perch: webhooks',
  description: 'The service that sends events to webhooks: attempts, how long receivers take, and what waits.',
  variables: [instanceVariable('webhooks')],
  sections: [
    {
      title: 'Backlog',
      panels: [
        stat({
          title: 'Waiting',
          description: 'Messages of all accounts that wait for an attempt, also those that failed and are tried again later.',
          unit: units.count,
          width: 6,
          queries: [{ expr: 'max(perch_webhook_waiting_messages)', legend: 'waiting' }],
          runbooks: ['PerchWebhooksStuck'],
        }),
        stat({
          title: 'Oldest waiting',
          description:
            'Age of the oldest event whose message waits. Minutes are normal while a receiver fails, since it is tried again at growing distances.',
          unit: units.seconds,
          width: 6,
          queries: [{ expr: 'max(perch_webhook_oldest_waiting_message_seconds)', legend: 'oldest' }],
          thresholds: worseAbove(600, 3600),
          runbooks: ['PerchWebhooksStuck'],
        }),
        stat({
          title: 'Delivered at an attempt',
          description: 'Share of attempts that a receiver accepted. Low values are mostly receivers that fail.',
          unit: units.share,
          decimals: 1,
          width: 6,
          queries: [
            {
              expr: `${perSecond('perch_webhook_attempts_total', { where: `${here}, outcome="delivered"` })} / ${perSecond('perch_webhook_attempts_total', { where: here })}`,
              legend: 'delivered',
            },
          ],
          thresholds: worseBelow(0.5, 0.9),
        }),
        stat({
          title: 'Never sent',
          description:
            'Messages a second that were never sent because too many of their webhook were pending or the storage of the account was full.',
          unit: units.perSecond,
          width: 6,
          queries: [{ expr: perSecond('perch_webhook_left_out_total', { where: here }), legend: 'left out' }],
          thresholds: orangeAboveZero,
        }),
      ],
    },
    {
      title: 'Attempts',
      panels: [
        timeSeries({
          title: 'Attempts by outcome',
          description:
            'Attempts to deliver a message, a second. delivered: the receiver accepted it; again: it failed and will be tried again; failed: it was given up.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_webhook_attempts_total', { where: here, by: 'outcome' }), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Duration of attempts',
          description: 'From the lookup of the address to the answer. Receivers have 15 s.',
          unit: units.seconds,
          queries: [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, 'perch_webhook_attempt_seconds', { where: here }), legend: `${q * 100} %` })),
        }),
        timeSeries({
          title: 'Attempts in flight',
          description: 'Attempts that each instance makes now. At PERCH_WEBHOOK_CONCURRENCY an instance takes no more: add instances.',
          unit: units.count,
          queries: [{ expr: sum('perch_webhook_open_attempts', { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Backlog',
          description: 'Messages of all accounts that wait for an attempt.',
          unit: units.count,
          queries: [{ expr: 'max(perch_webhook_waiting_messages)', legend: 'waiting' }],
          runbooks: ['PerchWebhooksStuck'],
        }),
      ],
    },
    { title: 'Instances', panels: instancePanels('webhooks') },
  ],
});
