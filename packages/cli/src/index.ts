/** `perch`: controls robots over HTTP, and administers a running system through its Redis. */
export { runProgram, type Terminal } from './program.js';
