/** Returns the lines of a unified difference: `-` removed, `+` added, with up to three unchanged lines around; without line numbers. */
export function lineDifference(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const marked = marksOf(old, now);
  const isNear = (at: number): boolean => marked.slice(Math.max(0, at - 3), at + 4).some((line) => !line.startsWith(' '));
  return marked.flatMap((line, at) => (isNear(at) ? [line] : at > 0 && isNear(at - 1) ? ['...'] : []));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Files of clients have one changed place: what is equal at both ends is kept, the middle replaced. */
function marksOf(old: readonly string[], now: readonly string[]): string[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [
    ...old.slice(0, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ];
}
