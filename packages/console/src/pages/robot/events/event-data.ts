/** Marks and spaces of an infrared code are named by their number: programs need them, and nobody reads them. */
export function formatData(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${name === 'raw' && Array.isArray(value) ? `${value.length} lengths` : formatValue(value)}`)
    .join(', ');
}

function formatValue(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
