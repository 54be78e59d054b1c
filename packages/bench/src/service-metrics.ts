/** One value of a service's /metrics. */
import type { ServiceProcess } from '@perch/launcher';

/** The sum over all label sets that contain `labels`. @param labels e.g. `kind="poll"` @throws where there is none */
export async function metric({ admin }: Pick<ServiceProcess, 'admin'>, name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const values = text
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  if (values.length === 0) throw new Error(`no metric ${name} ${labels}`);
  return values.reduce((sum, value) => sum + value, 0);
}
