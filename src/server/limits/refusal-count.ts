import type { ExceededLimit, ServeOptions } from '../registry-options.ts';

const REPORT_MS = 1000;

/** Reports refused requests and connections: the first at once, then once a second, so that an attack does not fill the log. */
export function refusalCount(
  log: ServeOptions['log'],
): (limit: ExceededLimit, peer: string | undefined) => void {
  const counts = new Map<ExceededLimit, { count: number; peer: string | undefined }>();
  const report = (limit: ExceededLimit): void => {
    const { count = 0, peer } = counts.get(limit) ?? {};
    counts.delete(limit);
    if (count === 0) return;
    log?.({ kind: 'overload', limit, count, peer });
    watch(limit);
  };
  const watch = (limit: ExceededLimit): void => {
    counts.set(limit, { count: 0, peer: undefined });
    setTimeout(report, REPORT_MS, limit).unref();
  };
  return (limit, peer) => {
    const seen = counts.get(limit);
    if (seen) {
      seen.count++;
      seen.peer = peer;
      return;
    }
    log?.({ kind: 'overload', limit, count: 1, peer });
    watch(limit);
  };
}
