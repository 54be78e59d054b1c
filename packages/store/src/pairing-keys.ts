/** Keys of pairings in progress. */
export const pairingKeys = {
  /**
   * hash: serial, model, firmware, network (from which it connected), former and former_hash (the robot whose token it presented, and the token's
   * hash), user_code, polled_at (ms), account (that claimed it), robot (once approved). TTL 600 s.
   */
  record: (deviceHash: string) => `perch:{pair:${deviceHash}}`,
  /** string: hash of the device code. TTL 600 s. */
  userCode: (userCode: string) => `perch:{code:${userCode}}`,
  /** string: pairings begun in this window by all networks together, at most 50,000. TTL 600 s. */
  begun: () => 'perch:{pairings}',
} as const;
