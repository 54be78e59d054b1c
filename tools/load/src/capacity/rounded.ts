export function rounded(count: number): string {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return (Math.round(count / power) * power).toLocaleString('en');
}
