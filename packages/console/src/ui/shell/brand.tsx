import './brand.css';

export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect className="mark-screen" x="2" y="3" width="28" height="22" rx="7" />
      <g className="mark-face">
        <circle cx="11.5" cy="13" r="2.6" />
        <circle cx="20.5" cy="13" r="2.6" />
        <path d="M12.5 18.6q3.5 2.6 7 0" />
      </g>
      <path className="mark-perch" d="M9 29.5h14" />
    </svg>
  );
}

export function Brand() {
  return (
    <span className="brand">
      <Mark />
      Perch
    </span>
  );
}
