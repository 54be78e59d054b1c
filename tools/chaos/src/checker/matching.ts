/** @param edges right indices that left element i may be paired with @returns for each left element its partner, or null */
export function matching(edges: readonly (readonly number[])[]): (number | null)[] {
  const partnerOfRight = new Map<number, number>();
  const partners: (number | null)[] = edges.map(() => null);
  const augment = (left: number, seen: Set<number>): boolean => {
    for (const right of edges[left] ?? []) {
      if (seen.has(right)) continue;
      seen.add(right);
      const taken = partnerOfRight.get(right);
      if (taken === undefined || augment(taken, seen)) {
        partnerOfRight.set(right, left);
        partners[left] = right;
        return true;
      }
    }
    return false;
  };
  for (let left = 0; left < edges.length; left += 1) augment(left, new Set());
  return partners;
}
