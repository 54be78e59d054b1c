import { bubbleBaseline, bubbleColors, bubbleFrame } from '@perch/screen/own-screen';

export function Bubble({ text }: { text: string }) {
  const frame = bubbleFrame(text);
  const { rect, radius, pointer, size, lines } = frame;
  return (
    <g className="bubble" transform={`translate(${rect.x} ${rect.y})`} fill={bubbleColors.ground}>
      <path d={pointer} />
      <rect width={rect.w} height={rect.h} rx={radius} />
      <text className="bubble-text" fill={bubbleColors.ink} fontSize={size} textAnchor="middle">
        {lines.map((line, index) => (
          <tspan key={index} x={rect.w / 2} y={bubbleBaseline(frame, index)}>
            {line}
          </tspan>
        ))}
      </text>
    </g>
  );
}
