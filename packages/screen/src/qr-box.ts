import { encode } from 'uqr';
import type { QrBox, Rect } from './scene.js';

/** Least width of a module, px: 0.38 mm on a 2 inch screen, which telephones read at 10 to 20 cm. */
const moduleMin = 3;
const moduleMax = 8;
/** Modules around the code that must be light (ISO/IEC 18004). */
const quiet = 4;

/**
 * Returns the box of a QR code, with its quiet zone, as large as fits with modules of whole pixels. Its error correction is M (15 % may be damaged), or L
 * (7 %) where only that fits; `limits.show` has the length that fits into every card.
 * @param wMax may be less than the area's width, of which the code then takes the left part
 * @param isCentred in the area, instead of at its left
 */
export function qrBox(area: Rect, text: string, wMax: number, isCentred: boolean): QrBox {
  const side = Math.min(area.h, wMax);
  const fits = (rows: readonly string[]): boolean => (rows.length + 2 * quiet) * moduleMin <= side;
  const strong = qrRows(text, 'M');
  const rows = fits(strong) ? strong : qrRows(text, 'L');
  const modules = rows.length + 2 * quiet;
  const module = Math.max(1, Math.min(moduleMax, Math.floor(side / modules)));
  const size = modules * module;
  return {
    kind: 'qr',
    x: isCentred ? Math.round(area.x + (area.w - size) / 2) : area.x,
    y: Math.round(area.y + (area.h - size) / 2),
    w: size,
    h: size,
    module,
    rows,
  };
}

/** Returns the modules of a code, a text of 0 (light) and 1 (dark) for each row, without the quiet zone. */
function qrRows(text: string, ecc: 'L' | 'M'): string[] {
  return encode(text, { ecc, border: 0 }).data.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''));
}
