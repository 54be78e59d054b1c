/** `toLocaleString` would load the data of the language, 10 ms of each start. */
export function inThousands(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
