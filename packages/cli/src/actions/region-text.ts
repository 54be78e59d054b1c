/** Parses a clickmap's region: `ID=rect:x,y,w,h`, `ID=circle:x,y,r`, `ID=polygon:x,y,x,y,x,y`. */

const shape = /^([^={]+)=(rect|circle|polygon):([-\d.,]+)$/;

export function regionOf(text: string): object | null {
  const [, id, kind, list] = shape.exec(text.trim()) ?? [];
  if (id === undefined || kind === undefined || list === undefined) return null;
  const numbers = list.split(',').map(Number);
  if (kind !== 'polygon') return { id, [kind]: numbers };
  return { id, polygon: Array.from({ length: Math.ceil(numbers.length / 2) }, (_, i) => numbers.slice(2 * i, 2 * i + 2)) };
}
