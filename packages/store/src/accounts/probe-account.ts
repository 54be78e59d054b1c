/** The account of the probes (services/probe), whose calls and robots are in no figure: they would count the service's own checks as its use. */

/** No account gets it at random: those ids have no `o`. */
const id = 'a-perchprobe';

/** No mail reaches it, and nobody can show that it is theirs: `.invalid` is reserved (RFC 2606). */
const email = 'probe@perch.invalid';

export const probeAccount = { id, email } as const;

/** Returns whether this is the account of the probes, which every figure of calls or robots leaves out. */
export function isProbeAccount(account: string): boolean {
  return account === id;
}
