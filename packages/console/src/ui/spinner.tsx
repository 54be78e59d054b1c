import './spinner.css';

/** @param label activity, for screen readers */
export function Spinner({ label }: { label: string }) {
  return (
    <span className="spinner" role="progressbar" aria-label={label}>
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
        <circle cx="9" cy="9" r="7" opacity="0.25" />
        <path d="M16 9a7 7 0 0 0-7-7" />
      </svg>
    </span>
  );
}
