/** A note and its waves beside the head, while a sound plays. */
export function SoundSign() {
  return (
    <g className="sound-sign" transform="translate(176 -322)">
      <path className="sound-note" d="M-14 26 V-12 L12 -18 V20 M-14 26 a8 6 0 1 1 -0.1 -1 M12 20 a8 6 0 1 1 -0.1 -1" />
      <path className="sound-wave" d="M24 -16 q10 16 0 34" />
      <path className="sound-wave sound-wave-2" d="M33 -22 q15 22 0 46" />
    </g>
  );
}
