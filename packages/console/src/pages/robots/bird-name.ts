/** Default names of virtual robots, so that adding one takes a single click: birds that perch. */

const birds = ['Robin', 'Wren', 'Finch', 'Swift', 'Jay', 'Lark', 'Linnet', 'Dipper', 'Siskin', 'Plover', 'Swallow'];

export function birdName(taken: Iterable<string>): string {
  const names = new Set(taken);
  for (let round = 1; ; round++) {
    const free = birds.map((bird) => (round === 1 ? bird : `${bird} ${round}`)).find((name) => !names.has(name));
    if (free !== undefined) return free;
  }
}
