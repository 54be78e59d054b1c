/** What happens to a text that does not fit on the screen. */
export const overflows = ['cut', 'pages'] as const;
