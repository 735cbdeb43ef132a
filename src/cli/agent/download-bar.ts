import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { AgentEvent } from '../../agent/event.ts';
import type { InstallStep } from '../../agent/install/install-step.ts';

const CELLS = 20;
const MEGABYTE = 1_000_000;

/** A terminal is drawn four times a second at most (D425). */
const BETWEEN_MS = 250;
/** The rate of a shorter time says little. */
const SHORTEST_MS = 1000;

/** What a download has loaded so far, and since when; a download that goes on begins with what is there. */
interface Loaded {
  readonly bytes: number;
  readonly ms: number;
}

/** `lidar 1.2.9  [#########-----------]  45 %  4.5 of 10.0 MB  1.5 MB/s, 4 s left` */
export function downloadBar(
  { name, version }: { readonly name: string; readonly version: string },
  { bytes, total }: InstallStep & { readonly kind: 'downloading' },
  loaded: Loaded,
): string {
  const what = `${excerpt(name)} ${version}`;
  const left = total === undefined ? undefined : Math.max(0, total - bytes);
  const pace = paceWords(loaded, left);
  if (total === undefined || total === 0) return `${what}  ${megabytes(bytes)} MB${pace}`;
  const share = Math.min(1, bytes / total);
  const bar = '#'.repeat(Math.floor(share * CELLS)).padEnd(CELLS, '-');
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${what}  [${bar}] ${percent} %  ${megabytes(bytes)} of ${megabytes(total)} MB${pace}`;
}

/** The rate, and how long the bytes that are left take at this rate. */
function paceWords({ bytes, ms }: Loaded, left: number | undefined): string {
  if (ms < SHORTEST_MS || bytes <= 0) return '';
  const perMs = bytes / ms;
  const rate = `  ${megabytes(perMs * 1000)} MB/s`;
  if (left === undefined || left === 0) return rate;
  return `${rate}, ${describeDuration(Math.ceil(left / perMs / 1000) * 1000)} left`;
}

/** The first that was seen of a download. */
interface Begun {
  readonly at: number;
  readonly bytes: number;
}

/** Returns a function that gets each event, and calls `show` with the bar of the download that began first. */
export function downloadStatus(
  show: (text: string | undefined) => void,
  now: () => number,
): (event: AgentEvent) => void {
  const bars = new Map<string, string>();
  const begun = new Map<string, Begun>();
  const targets = new Map<string, string>();
  let drawnAt = -Infinity;
  return (event) => {
    const at = now();
    if (event.kind === 'delivered') targets.set(event.action.id, event.action.target.name);
    if (event.kind === 'installing' && event.step.kind === 'downloading') {
      const { name, step } = event;
      const isNew = !bars.has(name);
      const first = (isNew ? undefined : begun.get(name)) ?? { at, bytes: step.bytes };
      begun.set(name, first);
      const loaded = { bytes: step.bytes - first.bytes, ms: at - first.at };
      bars.set(name, downloadBar(event, step, loaded));
      if (!isNew && Math.abs(at - drawnAt) < BETWEEN_MS) return;
    } else if (!bars.delete(endedBy(event, targets) ?? '')) return;
    drawnAt = at;
    const [first] = bars.values();
    show(first === undefined || bars.size === 1 ? first : `${first}  and ${bars.size - 1} more`);
  };
}

/** The name of the entry whose download, or whose action, has ended. */
function endedBy(event: AgentEvent, targets: Map<string, string>): string | undefined {
  if (event.kind === 'installing') return event.name;
  const id =
    event.kind === 'acknowledged'
      ? event.id
      : event.kind === 'withdrawn'
        ? event.action.id
        : undefined;
  if (id === undefined) return undefined;
  const name = targets.get(id);
  targets.delete(id);
  return name;
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
