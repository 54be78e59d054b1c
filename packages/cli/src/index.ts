/** `perch`: controls robots over HTTP, and administers a running system through its Redis. `main.ts` is its process. */
export { runProgram, type Terminal } from './program.js';
