import { excerpt } from '../../core/text/quote.ts';
import type { AgentEvent } from '../../agent/event.ts';
import { drawingPace, transferBar } from '../base/transfer-bar.ts';

/** The first that was seen of a download. */
interface Begun {
  readonly at: number;
  readonly bytes: number;
}

/** Returns a function that gets each event, and calls `show` with the bar of the download that began first (D425). */
export function downloadStatus(
  show: (text: string | undefined) => void,
  now: () => number,
): (event: AgentEvent) => void {
  const bars = new Map<string, string>();
  const begun = new Map<string, Begun>();
  const targets = new Map<string, string>();
  const isDue = drawingPace();
  return (event) => {
    const at = now();
    let isNew = true;
    if (event.kind === 'delivered') targets.set(event.action.id, event.action.target.name);
    if (event.kind === 'installing' && event.step.kind === 'downloading') {
      const { name, step } = event;
      isNew = !bars.has(name);
      const first = (isNew ? undefined : begun.get(name)) ?? { at, bytes: step.bytes };
      begun.set(name, first);
      const loaded = { bytes: step.bytes - first.bytes, ms: at - first.at };
      bars.set(name, transferBar(`${excerpt(name)} ${event.version}`, step, loaded));
    } else if (!bars.delete(endedBy(event, targets) ?? '')) return;
    if (!isDue(at, isNew)) return;
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
