import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { skipTest } from '@perch/testkit';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { onAlertSystem, type AlertRobot } from '../fixture/telemetry/alert-system.js';

const env = {
  PERCH_GATEWAY_CONNECTIONS: '100',
  PERCH_MEDIA_MB: '8',
  PERCH_WEBHOOK_ALLOW_PRIVATE: 'true',
  PERCH_WEBHOOK_CONCURRENCY: '1',
};

onAlertSystem('limits', { gateways: 2, links: 1, renderers: 1, env }, (at, skipped) => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.open();
    // A receiver that does not answer occupies the only sender. Its alert is slow and checked last.
    const { tenant, robot } = at().robots[0]!;
    const made = await tenant.api().send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/hangs'), names: ['pat'] }), {
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    receiver.silent.add('/hangs');
    for (let i = 0; i < 10; i++) await robot.pat();
  });
  after(() => receiver?.close());

  it('PerchConnectionsNearLimit fires while idle connections to a gateway are open', async () => {
    const { system, watch } = at();
    const { host } = new URL(system.gateway());
    const [hostname, port] = host.split(':') as [string, string];
    const idle: Socket[] = [];
    try {
      for (let i = 0; i < 85; i++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        socket.write(`GET /v1/robots HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        idle.push(socket);
      }
      await watch.untilFires('PerchConnectionsNearLimit');
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  it('PerchMediaNearlyFull fires when several accounts fill the storage for pictures and sounds', async () => {
    const { robots, system, watch } = at();
    const full = new AbortController();
    const fill = async ({ tenant, id }: AlertRobot): Promise<void> => {
      for (let i = 0; !full.signal.aborted; i++) {
        // 3.5 s of sound are 112 KB; no two are the same.
        await tenant.api().act(id, 'sound', { notes: `C4:${3000 + i} D4:${500 + Math.floor(Math.random() * 500)}` });
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
    };
    const filling = robots.slice(0, 6).map(fill);
    try {
      await watch.untilFires('PerchMediaNearlyFull', 60_000);
    } finally {
      full.abort();
      await Promise.all(filling);
    }
    // The state after all of it has expired, which takes a minute and a half.
    const { commands } = system.store.connections;
    await commands.del('perch:{media:0}', 'perch:{media:0}:bytes', 'perch:{media:0}:reserved', 'perch:{media:0}:shared');
  });

  it('PerchQueueStuck fires while the render processes are stopped', async function () {
    const { robots, system, watch } = at();
    if (!existsSync('/proc/self/task')) {
      skipped.add('PerchQueueStuck');
      skipTest(this, 'it finds the processes that draw under /proc, which this system lacks');
    }
    const renderer = system.cluster.renderers[0]!;
    const resumed = new AbortController();
    const stopped = new Set<number>();
    const stopAll = async (): Promise<void> => {
      while (!resumed.signal.aborted) {
        // A process that takes too long is replaced: stop its successor as well.
        for (const pid of childrenOf(renderer.pid)) if (sent(pid, 'SIGSTOP')) stopped.add(pid);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const stops = stopAll();
    const asking = robots.slice(0, 6).map(async ({ tenant, id }) => {
      while (!resumed.signal.aborted)
        await tenant
          .api()
          .act(id, 'show', { text: randomUUID() })
          .catch(() => null);
    });
    try {
      await watch.untilFires('PerchQueueStuck');
    } finally {
      resumed.abort();
      await stops;
      for (const pid of stopped) sent(pid, 'SIGCONT');
    }
    await Promise.all(asking);
  });

  it('PerchWebhooksStuck fires for messages queued behind a receiver that hangs, and ends when the receiver answers again', async () => {
    const { watch } = at();
    await watch.untilFires('PerchWebhooksStuck', 90_000);
    await receiver.close();
    await watch.untilEnds('PerchWebhooksStuck');
  });
});

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
