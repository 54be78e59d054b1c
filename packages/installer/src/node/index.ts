/** For Node: the robot program from the files of this clone or of the package, and serial ports by their device files. */
export { withKeys } from './program-keys.js';
export { programFolder, shippedSignedProgram } from './program-folder.js';
export { programPaths } from './program-paths.js';
export { serialDevice } from './serial-device.js';
export {
  publicKeyOf,
  readSignedUpdate,
  signedUpdateText,
  signingKey,
  signingKeyIn,
  signUpdate,
  type SignedUpdate,
  type SigningOptions,
} from './signed-update.js';
export { updateFile, type UpdateFile } from './update-file.js';
