export function SoundSign() {
  return (
    <g className="sound-sign" transform="translate(172 -306)">
      <path d="M-12 24 V-10 L12 -16 V18" />
      <ellipse className="sound-note" cx={-18} cy={25} rx={7} ry={5.5} />
      <ellipse className="sound-note" cx={6} cy={19} rx={7} ry={5.5} />
      <path className="sound-wave" d="M24 -16 q10 16 0 34" />
      <path className="sound-wave sound-wave-2" d="M33 -22 q15 22 0 46" />
    </g>
  );
}
