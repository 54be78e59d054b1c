/** Pods start with the chart's security settings, get ready, serve a robot's actions, and end with 0 within their grace period. */
import { requireRedisServer, freePort, startRedisProcess } from '@perch/local-redis';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { adaptedForPodman, PodmanPod, runContainer } from './podman-pods.js';
import { renderChart } from './render-chart.js';
import type { TemplateEngine } from './template-engine.js';

export interface PlayOptions {
  engine: TemplateEngine;
  registry: string;
  tag: string;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
}

const release = 'perch-chart-check';
const names = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;

/** @returns the failed checks, a sentence each @throws if something could not be run at all */
export async function playChart({ engine, registry, tag, env, print }: PlayOptions): Promise<string[]> {
  const problems: string[] = [];
  const check = (holds: boolean, sentence: string): void => {
    print(`${holds ? 'ok' : 'FAILED'}: ${sentence}`);
    if (!holds) problems.push(sentence);
  };
  const redis = await startRedisProcess({ binary: requireRedisServer(env), appendOnly: true });
  const pods = new Map<string, PodmanPod>();
  let robot: VirtualRobot | null = null;
  try {
    const ports = { gateway: await freePort(), link: await freePort() };
    const admin = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
    const values = {
      image: { registry, tag, pullPolicy: 'Never' },
      redis: { url: redis.url },
      listenHost: '127.0.0.1',
      drain: { delayMs: 1000, ms: 3000, marginSeconds: 15 },
    };
    const objects = renderChart(engine, values, release);
    for (const name of names) {
      const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `${release}-${name}`);
      if (deployment === undefined) throw new Error(`the chart has no Deployment ${release}-${name}`);
      const adapted = adaptedForPodman(deployment, {
        PERCH_GATEWAY_PORT: ports.gateway,
        PERCH_LINK_PORT: ports.link,
        PERCH_ADMIN_PORT: admin[name]!,
      });
      pods.set(name, await PodmanPod.play(adapted));
    }
    for (const [name, pod] of pods) {
      const { user, readOnly, capabilities, noNewPrivileges } = await pod.inspect();
      check(
        user.startsWith('65532') && readOnly && capabilities.length === 0 && noNewPrivileges,
        `${name} runs as user 65532, read-only, without capabilities`,
      );
      const ready = await isReady(admin[name]!);
      check(ready, `${name} answers 200 at /readyz`);
      if (!ready) print(await pod.logs());
    }

    const made = await runContainer(`${registry}/perch/perch:${tag}`, { PERCH_REDIS_URL: redis.url }, [
      ...['account', 'add', '--email', 'ada@example.org', '--with-robot', '--with-key', '--json'],
    ]);
    const account = JSON.parse(made) as { robot: string; robot_token: string; api_key: string };
    robot = new VirtualRobot({ url: `ws://127.0.0.1:${ports.link}/robot/v1/link`, token: account.robot_token });
    await robot.start();
    check(true, 'a robot connects');
    const act = async (action: string, args: object): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${ports.gateway}/v1/robots/${account.robot}/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
        signal: AbortSignal.timeout(20_000),
      });
      check(response.status === 200, `${action} is answered with 200 (${response.status} ${(await response.text()).slice(0, 200)})`);
    };
    await act('leds', { color: '#00ff00' });
    await act('show', { text: 'Hello' });
    await robot.stop();
    robot = null;

    for (const [name, pod] of pods) {
      const code = await pod.stop();
      check(code === 0, `${name} ends with 0 on SIGTERM (${code})`);
      if (code !== 0) print(await pod.logs());
    }
  } finally {
    await robot?.stop();
    for (const pod of pods.values()) await pod.remove();
    await redis.stop();
  }
  return problems;
}

async function isReady(port: number): Promise<boolean> {
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return until(answers, { timeoutMs: 60_000, everyMs: 100 }).then(
    () => true,
    () => false,
  );
}
