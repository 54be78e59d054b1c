/** The place on the screen of a robot's nth tap, by which the process of the programs recognizes it in an event. */
const screenWidth = 320;
const screenHeight = 240;

export function placeOf(n: number): { x: number; y: number } {
  return { x: n % screenWidth, y: Math.floor(n / screenWidth) % screenHeight };
}

export function tapAt(x: number, y: number): number {
  return y * screenWidth + x;
}
