/** Names for virtual robots, so that one click is enough: birds that perch. */

const birds = ['Robin', 'Wren', 'Finch', 'Swift', 'Jay', 'Lark', 'Linnet', 'Dipper', 'Siskin', 'Plover', 'Swallow'];

/** @returns the first that no robot has yet; with a number when all are taken */
export function birdName(taken: Iterable<string>): string {
  const names = new Set(taken);
  for (let round = 1; ; round++) {
    const free = birds.map((bird) => (round === 1 ? bird : `${bird} ${round}`)).find((name) => !names.has(name));
    if (free !== undefined) return free;
  }
}
