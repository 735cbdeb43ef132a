import { excerpt } from '../../core/text/quote.ts';
import type { AgentEvent } from '../../agent/event.ts';
import type { InstallStep } from '../../agent/install/install-step.ts';

const CELLS = 20;
const MEGABYTE = 1_000_000;

/** `lidar 1.2.9  [#########-----------]  45 %  4.5 of 10.0 MB` */
export function downloadBar(
  { name, version }: { readonly name: string; readonly version: string },
  { bytes, total }: InstallStep & { readonly kind: 'downloading' },
): string {
  const what = `${excerpt(name)} ${version}`;
  if (total === undefined || total === 0) return `${what}  ${megabytes(bytes)} MB`;
  const share = Math.min(1, bytes / total);
  const bar = '#'.repeat(Math.floor(share * CELLS)).padEnd(CELLS, '-');
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${what}  [${bar}] ${percent} %  ${megabytes(bytes)} of ${megabytes(total)} MB`;
}

/** Returns a function that gets each event, and calls `show` with the bar of the download that began first. */
export function downloadStatus(
  show: (text: string | undefined) => void,
): (event: AgentEvent) => void {
  const bars = new Map<string, string>();
  const targets = new Map<string, string>();
  return (event) => {
    if (event.kind === 'delivered') targets.set(event.action.id, event.action.target.name);
    if (event.kind === 'installing' && event.step.kind === 'downloading') {
      bars.set(event.name, downloadBar(event, event.step));
    } else if (!bars.delete(endedBy(event, targets) ?? '')) return;
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
