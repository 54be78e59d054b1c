/** What an event's data say, in a line: `x 160, y 120`. */
export function tellData(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`)
    .join(', ');
}
