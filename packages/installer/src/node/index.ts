/** For Node: the robot program from the files of this clone or of the package. */
export { programFolder } from './program-folder.js';
