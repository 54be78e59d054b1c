/** Runs the robot program of `robots/micropython` in the unix build of MicroPython, with the surface of the virtual robot. */
export type { Micropython } from './find-micropython.js';
export { MicropythonRobot, type MicropythonRobotOptions } from './micropython-robot.js';
export { ownScreen } from './own-screen.js';
export { provideMicropython, requireMicropython } from './provide-micropython.js';
export type { PlayedSound } from './played-sound.js';
