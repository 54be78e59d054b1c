export interface RemoteCode {
  protocol: 'nec' | 'nec16' | 'samsung' | 'sony' | 'rc5' | 'rc6' | 'kaseikyo' | 'jvc' | 'denon';
  address: number;
  command: number;
  /** Tells presses and codes apart that have the same address and command: a toggle bit, the number of bits. */
  variant?: number;
}
