/** Deployments as podman pods (`podman kube play`), on the network of this machine. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { KubernetesObject } from './render-chart.js';

const run = promisify(execFile);

interface PodTemplate {
  spec: {
    hostNetwork?: boolean;
    terminationGracePeriodSeconds: number;
    containers: { name: string; image: string; env: { name: string; value?: string }[]; [field: string]: unknown }[];
  };
}

/** As podman reports them. */
export interface RunningContainer {
  user: string;
  readOnly: boolean;
  capabilities: string[];
  noNewPrivileges: boolean;
}

/** One pod on the machine's network, without probes (podman needs systemd) and container ports (podman cannot publish them there). */
export function adaptedForPodman(deployment: KubernetesObject, ports: Readonly<Record<string, number>>): KubernetesObject {
  const adapted = structuredClone(deployment) as KubernetesObject & { spec: { replicas: number; template: PodTemplate } };
  adapted.spec.replicas = 1;
  const { spec } = adapted.spec.template;
  spec.hostNetwork = true;
  for (const container of spec.containers) {
    for (const field of ['ports', 'startupProbe', 'readinessProbe', 'livenessProbe']) delete container[field];
    for (const variable of container.env) {
      const port = ports[variable.name];
      if (port !== undefined) variable.value = String(port);
    }
  }
  return adapted;
}

export class PodmanPod {
  readonly #pod: string;
  readonly #container: string;
  readonly #graceSeconds: number;

  private constructor(pod: string, container: string, graceSeconds: number) {
    this.#pod = pod;
    this.#container = container;
    this.#graceSeconds = graceSeconds;
  }

  /** @throws with podman's message if the pod does not start */
  static async play(deployment: KubernetesObject): Promise<PodmanPod> {
    const { spec } = (deployment['spec'] as { template: PodTemplate }).template;
    const pod = `${deployment.metadata.name}-pod-0`;
    const folder = mkdtempSync(join(tmpdir(), 'perch-pod-'));
    try {
      const file = join(folder, 'pod.yaml');
      writeFileSync(file, stringify(deployment));
      // Left by an earlier run that was killed.
      await run('podman', ['pod', 'rm', '--force', '--time', '0', '--ignore', pod]);
      await run('podman', ['kube', 'play', '--network', 'host', file]);
    } catch (error) {
      await run('podman', ['pod', 'rm', '--force', '--ignore', pod]).catch(() => undefined);
      throw error;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return new PodmanPod(pod, `${pod}-${spec.containers[0]!.name}`, spec.terminationGracePeriodSeconds);
  }

  async inspect(): Promise<RunningContainer> {
    const { stdout } = await run('podman', ['inspect', this.#container]);
    const [about] = JSON.parse(stdout) as [
      { Config: { User: string }; EffectiveCaps: string[] | null; HostConfig: { ReadonlyRootfs: boolean; SecurityOpt: string[] } },
    ];
    return {
      user: about.Config.User,
      readOnly: about.HostConfig.ReadonlyRootfs,
      capabilities: about.EffectiveCaps ?? [],
      noNewPrivileges: about.HostConfig.SecurityOpt.includes('no-new-privileges'),
    };
  }

  /** podman kills the container after the pod's grace period. @returns its exit code */
  async stop(): Promise<number> {
    await run('podman', ['pod', 'stop', '--time', String(this.#graceSeconds), this.#pod]);
    const { stdout } = await run('podman', ['inspect', '--format', '{{.State.ExitCode}}', this.#container]);
    return Number(stdout.trim());
  }

  async logs(): Promise<string> {
    const { stdout, stderr } = await run('podman', ['logs', '--tail', '20', this.#container]);
    return stdout + stderr;
  }

  async remove(): Promise<void> {
    await run('podman', ['pod', 'rm', '--force', '--time', '0', '--ignore', this.#pod]);
  }
}

/** On the machine's network. @returns its standard output */
export async function runContainer(image: string, env: Readonly<Record<string, string>>, args: readonly string[]): Promise<string> {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const { stdout } = await run('podman', ['run', '--rm', '--read-only', '--cap-drop', 'all', '--network', 'host', ...variables, image, ...args]);
  return stdout;
}

/** Null: they can be run. */
export async function whyNoImages(images: readonly string[]): Promise<string | null> {
  try {
    await run('podman', ['--version']);
  } catch {
    return 'podman is not on PATH';
  }
  for (const image of images) {
    if (
      !(await run('podman', ['image', 'exists', image]).then(
        () => true,
        () => false,
      ))
    )
      return `there is no image ${image}; build it as docs/operate/images.md says`;
  }
  return null;
}
