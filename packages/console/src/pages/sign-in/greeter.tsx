/** A robot on its perch, in lines: it blinks, and looks about a little. */
import './greeter.css';

export function Greeter({ size = 320 }: { size?: number }) {
  const leds = Array.from({ length: 6 }, (_, at) => at);
  return (
    <svg className="greeter" width={size} height={size * 0.875} viewBox="0 0 320 280" aria-hidden="true">
      <path className="greeter-perch" d="M60 262h200" />
      <path className="greeter-neck" d="M138 262v-26h44v26" />
      <g className="greeter-head">
        <rect className="greeter-body" x="42" y="32" width="236" height="186" rx="40" />
        <rect className="greeter-screen" x="66" y="52" width="188" height="141" rx="16" />
        <g className="greeter-eyes">
          <rect x="110" y="94" width="22" height="36" rx="11" />
          <rect x="188" y="94" width="22" height="36" rx="11" />
        </g>
        <path className="greeter-mouth" d="M140 152q20 14 40 0" />
        {leds.map((at) => (
          <g key={at}>
            <circle className="greeter-led" cx="54" cy={75 + at * 19} r="3.5" />
            <circle className="greeter-led" cx="266" cy={75 + at * 19} r="3.5" />
          </g>
        ))}
      </g>
    </svg>
  );
}
