/**
 * Options of Node.js for processes that make many objects which live for a second or two: messages of thousands of robots.
 * With the default of 16 MB they outlive the young generation, and collecting the old one stops 5,000 robots for up to 400 ms, by which calls and taps
 * would then be late.
 */
export const manyShortLived = ['--max-semi-space-size=64'];
