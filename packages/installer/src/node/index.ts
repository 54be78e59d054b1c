/** For Node: the robot program from the files of this clone or of the package, and serial ports by their device files. */
export { programFolder } from './program-folder.js';
export { programPaths } from './program-paths.js';
export { serialDevice } from './serial-device.js';
export { updateFile, type UpdateFile } from './update-file.js';
