import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { withSources } from '../report/bundled-sources.js';
import { flameOf, flameSvg, type CpuProfile } from '../report/flame.js';

const profiler = new URL('../../programs/profiler.mjs', import.meta.url);
const writtenWithinMs = 15_000;

export async function measureProfiles(bench: Bench): Promise<void> {
  const { picture } = bench;
  if (picture === undefined) return;
  bench.log('where the CPU goes');
  const folder = mkdtempSync(join(tmpdir(), 'perch-bench-'));
  try {
    await bench.withPerch({ env: { ...bench.env, NODE_OPTIONS: `--import ${profiler.href}`, BENCH_PROFILES: folder } }, async (perch) => {
      await bench.warmUp(perch);
      const profiled = [perch.gateway, perch.link];
      for (const service of profiled) service.signal('SIGUSR2');
      await pause(200);
      const { calls } = await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16 });
      for (const service of profiled) service.signal('SIGUSR2');
      for (const { service, pid } of profiled) {
        const title = `${service}: CPU of ${calls} leds actions, 16 in flight`;
        picture(`flame-${service}.svg`, flameSvg(title, flameOf(withSources(await written(join(folder, `${pid}.cpuprofile`))))));
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function written(file: string): Promise<CpuProfile> {
  const giveUpAt = performance.now() + writtenWithinMs;
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await pause(100);
    }
  }
}
