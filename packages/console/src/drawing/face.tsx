/** The face on the screen, in screen pixels, with each of the six emotions. */
import type { ReactNode } from 'react';
import { emotionOf, type Emotion, type RobotLooks } from './looks.js';

const left = 96;
const right = 224;

const drawn: Record<Emotion, ReactNode> = {
  neutral: (
    <>
      <Eyes r={22} />
      <path className="face-line" d="M134 172 H186" />
    </>
  ),
  happy: (
    <>
      <path className="face-line face-blinks" d="M68 116 Q96 72 124 116 M196 116 Q224 72 252 116" />
      <path className="face-fill" d="M116 150 Q160 162 204 150 Q196 200 160 200 Q124 200 116 150 Z" />
      <path className="face-tongue" d="M138 190 Q160 172 182 190 Q172 199 160 199 Q148 199 138 190 Z" />
      <ellipse className="face-cheek" cx={54} cy={150} rx={22} ry={13} />
      <ellipse className="face-cheek" cx={266} cy={150} rx={22} ry={13} />
    </>
  ),
  angry: (
    <>
      <Eyes r={21} y={116} />
      <path className="face-lid" d="M56 66 L136 106 L136 74 L80 52 Z M264 66 L184 106 L184 74 L240 52 Z" />
      <path className="face-line" d="M60 72 L130 106 M260 72 L190 106" />
      <path className="face-line" d="M122 186 Q160 160 198 186" />
    </>
  ),
  sad: (
    <>
      <Eyes r={20} y={114} />
      <path className="face-line" d="M62 92 Q88 84 112 64 M258 92 Q232 84 208 64" />
      <path className="face-line" d="M126 190 Q160 158 194 190" />
      <path className="face-tear" d="M66 146 Q52 168 66 176 Q80 168 66 146 Z" />
    </>
  ),
  doubt: (
    <>
      <circle className="face-fill face-blinks" cx={left} cy={110} r={24} />
      <circle className="face-fill face-blinks" cx={right} cy={116} r={15} />
      <path className="face-line" d="M62 68 Q94 44 128 64 M194 88 L256 82" />
      <path className="face-line" d="M120 178 Q138 164 158 176 T198 170" />
    </>
  ),
  sleepy: (
    <>
      <path className="face-line" d="M68 112 Q96 132 124 112 M196 112 Q224 132 252 112" />
      <ellipse className="face-line" cx={160} cy={178} rx={13} ry={10} />
      <path className="face-zs" d="M250 66 H268 L250 84 H268 M278 34 H302 L278 58 H302" />
    </>
  ),
};

export function Face({ emotion, speaks = false }: Pick<RobotLooks, 'emotion'> & { speaks?: boolean }) {
  return (
    <g className="face" data-emotion={emotionOf({ emotion })} transform={speaks ? 'translate(32 -38) scale(0.8)' : 'translate(-22 -18) scale(1.14)'}>
      {drawn[emotionOf({ emotion })]}
    </g>
  );
}

function Eyes({ r, y = 108 }: { r: number; y?: number }) {
  return (
    <>
      <circle className="face-fill face-blinks" cx={left} cy={y} r={r} />
      <circle className="face-fill face-blinks" cx={right} cy={y} r={r} />
    </>
  );
}
