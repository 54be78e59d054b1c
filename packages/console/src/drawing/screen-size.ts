/** The robot's screen, px. */
export const screenWidth = 320;
export const screenHeight = 240;
