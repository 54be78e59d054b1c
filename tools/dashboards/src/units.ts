/** As Grafana names them. */

export const units = {
  count: 'none',
  perSecond: 'suffix:/s',
  seconds: 's',
  bytes: 'bytes',
  /** A share of 1, shown as %. */
  share: 'percentunit',
  cores: 'suffix:cores',
  celsius: 'celsius',
  dbm: 'suffix:dBm',
  times: 'suffix:x',
} as const;

export type Unit = (typeof units)[keyof typeof units];
