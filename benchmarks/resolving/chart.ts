import type { ColdRow } from './cold.ts';

const ROW = 44;
const BAR = 11;
const LEFT = 190;
const WIDTH = 760;
const TOP = 62;
const DECADES = [10, 100, 1000, 10_000];
const COLOURS = { modreg: '#1a7f64', semver: '#b45f06', 'npm-pick-manifest': '#7a7a8c' };

/** An SVG bar chart of microseconds on a logarithmic axis, with one group of bars per row. */
export function chartOf(rows: readonly ColdRow[], machine: string): string {
  const height = TOP + rows.length * ROW + 36;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="20" font-size="14">From a new list of strings to the chosen version: µs on a logarithmic axis (shorter is better)</text>`,
    `<text x="12" y="${height - 10}" fill="#555">${escape(machine)}; best of up to 31 interleaved slices</text>`,
    ...Object.entries(COLOURS).map(([name, colour], place) => {
      const x = LEFT + place * 110;
      return `<rect x="${x}" y="32" width="10" height="10" fill="${colour}"/><text x="${x + 14}" y="41">${name}</text>`;
    }),
    ...DECADES.map((value) => axisAt(value, height)),
    ...rows.map((row, place) => groupOf(row, TOP + place * ROW)),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function axisAt(value: number, height: number): string {
  const x = LEFT + lengthOf(value);
  return `<line x1="${x}" x2="${x}" y1="${TOP - 10}" y2="${height - 28}" stroke="#ddd"/><text x="${x}" y="${TOP - 2}" text-anchor="middle" fill="#555" font-size="10">${value}</text>`;
}

function groupOf({ list, constraint, modreg, semver, pickManifest }: ColdRow, y: number): string {
  const label = `<text x="${LEFT - 10}" y="${y + 23}" text-anchor="end">${escape(`${list} ${constraint}`)}</text>`;
  const bars = Object.entries({ modreg, semver, 'npm-pick-manifest': pickManifest ?? 0 });
  return label + bars.map(([name, time], place) => barOf(name, time, y + 5 + place * BAR)).join('');
}

function barOf(name: string, time: number, y: number): string {
  const colour = COLOURS[name as keyof typeof COLOURS];
  const length = lengthOf(time);
  const text = `<text x="${LEFT + length + 4}" y="${y + 9}" font-size="10" fill="#333">${Number(time.toPrecision(3))}</text>`;
  return `<rect x="${LEFT}" y="${y}" width="${length}" height="${BAR - 2}" fill="${colour}"/>${text}`;
}

/** The length of a bar: 10 µs is 0, and every decade adds the same length. */
function lengthOf(time: number): number {
  return Math.round(Math.max(0, Math.log10(time / 10)) * 165 * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
