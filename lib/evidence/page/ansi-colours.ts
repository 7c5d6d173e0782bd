type Rgb = readonly [number, number, number];

/** The 16 colours as xterm sets them at first (XTerm-col.ad), to measure others against. */
const palette: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/** The steps of the 6 × 6 × 6 cube of the 256 colours. */
const steps = [0, 95, 135, 175, 215, 255];

/** The number of the nearest of the 16 colours. */
export function nearestColour(red: number, green: number, blue: number): number {
  const distances = palette.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  return distances.indexOf(Math.min(...distances));
}

/** The same for a colour of the 256: 16 of its own, a cube, and 24 greys. Null for a number beyond them. */
export function paletteColour(number: number): number | null {
  if (number < 16) return number;
  if (number > 255) return null;
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return nearestColour(grey, grey, grey);
  }
  const cube = number - 16;
  const [red = 0, green = 0, blue = 0] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(
    (step) => steps[step] ?? 0,
  );
  return nearestColour(red, green, blue);
}
