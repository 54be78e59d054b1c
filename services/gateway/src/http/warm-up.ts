/**
 * What else the first calls of a gateway would wait for, done before it listens: on a busy machine they took so long that they were answered
 * that Redis did not reply in time.
 */
import { compileActions } from '@perch/schema';
import type { Admission } from '../auth/admission.js';

/** Shaped like a key and like a robot, and nobody's. */
const nobodysKey = `Bearer pk_${'0'.repeat(43)}`;
const nobodysRobot = 'r-0000000000';

export async function warmUp(admission: Pick<Admission, 'admit'>): Promise<void> {
  compileActions();
  // Refused, and charged to nobody: by then the scripts are in Redis, and the way to them was gone once.
  await admission.admit(nobodysKey, nobodysRobot, 0, { setHeader: () => {} }).catch(() => {});
}
