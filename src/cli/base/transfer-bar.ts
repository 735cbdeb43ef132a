import { describeDuration } from '../../core/text/duration.ts';

const CELLS = 20;
const MEGABYTE = 1_000_000;

/** Between two bars of one transfer. */
const BETWEEN_MS = 250;
/** The rate of a shorter time says little. */
const SHORTEST_MS = 1000;

/** What is there of a file. */
interface Transfer {
  readonly bytes: number;
  readonly total?: number | undefined;
}

/** What has been transferred, and since when; a transfer that goes on begins with what is there. */
export interface Transferred {
  readonly bytes: number;
  readonly ms: number;
}

/** `lidar 1.2.9  [#########-----------]  45 %  4.5 of 10.0 MB  1.5 MB/s, 4 s left` */
export function transferBar(
  what: string,
  { bytes, total }: Transfer,
  transferred: Transferred,
): string {
  const left = total === undefined ? undefined : Math.max(0, total - bytes);
  const pace = paceWords(transferred, left);
  if (total === undefined || total === 0) return `${what}  ${megabytes(bytes)} MB${pace}`;
  const share = Math.min(1, bytes / total);
  const bar = '#'.repeat(Math.floor(share * CELLS)).padEnd(CELLS, '-');
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${what}  [${bar}] ${percent} %  ${megabytes(bytes)} of ${megabytes(total)} MB${pace}`;
}

/** Returns a function that says whether a bar is drawn at `at`: what is new at once, the rest four times a second at most (D425, D471). */
export function drawingPace(): (at: number, isNew: boolean) => boolean {
  let drawnAt = -Infinity;
  return (at, isNew) => {
    if (!isNew && Math.abs(at - drawnAt) < BETWEEN_MS) return false;
    drawnAt = at;
    return true;
  };
}

/** The rate, and how long the bytes that are left take at this rate. */
function paceWords({ bytes, ms }: Transferred, left: number | undefined): string {
  if (ms < SHORTEST_MS || bytes <= 0) return '';
  const perMs = bytes / ms;
  const rate = `  ${megabytes(perMs * 1000)} MB/s`;
  if (left === undefined || left === 0) return rate;
  return `${rate}, ${describeDuration(Math.ceil(left / perMs / 1000) * 1000)} left`;
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
