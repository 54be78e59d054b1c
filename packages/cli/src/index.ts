/** `perch`: robots driven over HTTP, and a running system administered through its Redis. `main.ts` is its process. */
export { runProgram, type Terminal } from './program.js';
