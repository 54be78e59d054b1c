import type { ServiceProcess } from '@perch/launcher';

/** Sum over all label sets that contain `labels`. @param labels e.g. `kind="poll"` @throws if there is none */
export async function metric({ admin }: Pick<ServiceProcess, 'admin'>, name: string, labels = ''): Promise<number> {
  const value = metricIn(await (await fetch(`${admin}/metrics`)).text(), name, labels);
  if (value === null) throw new Error(`no metric ${name} ${labels}`);
  return value;
}

/** From the text of /metrics; null if there is none. */
export function metricIn(text: string, name: string, labels = ''): number | null {
  const values = text
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}
