export function formatData(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`)
    .join(', ');
}
