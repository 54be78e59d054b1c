/** Does the one-time work of the first calls before the gateway listens: on a busy machine they failed with a Redis timeout. */
import { compileActions } from '@perch/schema';
import type { Admission } from '../auth/admission.js';

const unknownKey = `Bearer pk_${'0'.repeat(43)}`;
const unknownRobotId = 'r-0000000000';

export async function warmUp(admission: Pick<Admission, 'admit'>): Promise<void> {
  compileActions();
  // The call is rejected and charged to no account. It loads the scripts into Redis and runs the code path once.
  await admission.admit(unknownKey, unknownRobotId, 0, { setHeader: () => {}, caller: null, action: 'state' }).catch(() => {});
}
