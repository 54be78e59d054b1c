/**
 * Options of Node.js for the load's processes, whose own garbage collection would delay calls and taps by up to 400 ms: messages of thousands of robots
 * live for a second or two, which the default young generation of 16 MB is too small for, and the old generation is collected when it has grown by
 * hundreds of MB, not by 10.
 */
export const programsProcess = ['--max-semi-space-size=64', '--initial-old-space-size=1000'];
export const robotsProcess = ['--max-semi-space-size=64', '--initial-old-space-size=2000'];
