import { wrapText } from './wrap-text.js';

const width = 300;
const pad = 14;

export function Bubble({ text }: { text: string }) {
  const size = text.length > 48 ? 18 : 22;
  const lines = wrapText(text, (width - 2 * pad) / size).slice(0, 4);
  const lineHeight = size * 1.25;
  const height = lines.length * lineHeight + 16;
  const top = 232 - height;
  return (
    <g className="bubble" transform={`translate(10 ${top})`}>
      <path className="bubble-shape" d="M140 2 L150 -14 L166 2 Z" />
      <rect className="bubble-shape" width={width} height={height} rx={14} />
      <text className="bubble-text" fontSize={size} textAnchor="middle">
        {lines.map((line, index) => (
          <tspan key={index} x={width / 2} y={8 + lineHeight * (index + 0.78)}>
            {line}
          </tspan>
        ))}
      </text>
    </g>
  );
}
