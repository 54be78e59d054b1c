/** The robot program that the page installs. A module of its own: only those who install it load it. */
import { InstallError, programFiles, requireSignature, signedProgramFiles, signedProgramOf, type ProgramFile } from '@perch/installer';

const folder = '../../../../../robots/micropython/';
const sources = import.meta.glob<string>('../../../../../robots/micropython/**/*.py', { query: '?raw', import: 'default', eager: true });
const name = 'The signed robot program of this Perch';

/** @param signed null: the program of this page, which is not signed @throws {InstallError} its signature, or a file of it, is not the one that was signed */
export async function robotProgram(signed: object | null): Promise<ProgramFile[]> {
  if (signed === null) return programFiles(Object.entries(sources).map(([from, text]) => [from.slice(folder.length), text] as const));
  try {
    const program = signedProgramOf(signed, name);
    await requireSignature(program, name);
    return await signedProgramFiles(program, name);
  } catch (error) {
    throw new InstallError('program_not_signed', `${(error as Error).message}.`, { cause: error });
  }
}
