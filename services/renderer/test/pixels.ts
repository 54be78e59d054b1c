import { createCanvas, type Image } from 'canvas';

export function pixel(image: Image, x: number, y: number): number[] {
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data];
}

export const isRed = ([r = 0, g = 0, b = 0]: number[]): boolean => r > 200 && g < 60 && b < 60;
export const isBlue = ([r = 0, g = 0, b = 0]: number[]): boolean => r < 60 && g < 60 && b > 200;
