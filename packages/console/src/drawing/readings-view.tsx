import { readingsColors, readingsText, readingsTiles } from '@perch/screen/own-screen';
import type { RobotLooks } from './looks.js';

const { left, nameBaseline, nameSize, valueBaseline, valueSize, radius } = readingsText;

export function ReadingsView({ readings }: Pick<RobotLooks, 'readings'>) {
  return (
    <g className="readings-view">
      {readingsTiles(readings).map(({ rect, name, value }) => (
        <g key={name} transform={`translate(${rect.x} ${rect.y})`}>
          <rect width={rect.w} height={rect.h} rx={radius} fill={readingsColors.tile} />
          <text className="readings-name" x={left} y={nameBaseline} fontSize={nameSize} fill={readingsColors.name}>
            {name}
          </text>
          <text className="readings-value" x={left} y={valueBaseline} fontSize={valueSize} fill={readingsColors.value}>
            {value}
          </text>
        </g>
      ))}
    </g>
  );
}
