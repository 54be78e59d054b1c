import './battery.css';

/** @param percent 0 to 100 */
export function Battery({ percent }: { percent: number }) {
  const rounded = Math.round(percent);
  return (
    <span className={percent < 20 ? 'battery battery-low' : 'battery'}>
      <svg width="26" height="14" viewBox="0 0 26 14" aria-hidden="true">
        <rect className="battery-case" x="1" y="1" width="21" height="12" rx="3.5" />
        <rect className="battery-charge" x="3.5" y="3.5" width={Math.max(1, (16 * percent) / 100)} height="7" rx="1.5" />
        <path className="battery-tip" d="M24.5 5v4" />
      </svg>
      <span>
        <span className="sr-only">Battery </span>
        {rounded} %
      </span>
    </span>
  );
}
