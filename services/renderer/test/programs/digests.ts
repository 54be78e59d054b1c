/** Prints the SHA-256 of pictures with many scripts, symbols, emoji and characters that no font has; for a comparison with and without host fonts. */
import { createHash } from 'node:crypto';
import { cardScene } from '@perch/screen';
import { drawScene } from '../../src/draw-scene.js';

const texts = [
  'Hello Ärger Łódź Привет Ελλάδα Việt',
  'Հայերեն ქართული ລາວ አማርኛ မြန်မာ ភាសាខ្មែរ සිංහල',
  'हिन्दी বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം ગુજરાતી ਪੰਜਾਬੀ ଓଡ଼ିଆ',
  'שלום مرحبا ไทย 日本語かな 中文 繁體 한국어',
  '₂ ⅓ ℃ ‐ ‡ ↑ → ★ ✓ ♪ ⌘ ≤ ≠ ∞ ½ ⏻ ⠿',
  '😀 👩‍👩‍👧‍👦 🇩🇪 ☝🏽 1️⃣ ❤️‍🔥 🏳️‍🌈 👩🏽‍🚀',
  'Ꭳ ᠮ ༀ \u{10FFFD} \u{1E900} \uE000 日\u0334',
];
for (const text of texts) {
  const canvas = await drawScene(cardScene({ text, note: text, title: text }), new Map());
  process.stdout.write(`${createHash('sha256').update(canvas.data()).digest('hex')} ${text}\n`);
}
