import type { AgentOptions } from '../../agent/agent-options.ts';
import type { AgentEvent } from '../../agent/event.ts';
import type { AgentMetrics } from '../metrics/agent-metrics.ts';
import type { PollReport } from '../poll/poll-report.ts';
import { agentLine, isOwn, reportedBy } from './agent-event-words.ts';

/** A line that a module printed. */
export function reportLine(
  name: string,
  { stream, text }: Parameters<NonNullable<AgentOptions['onLine']>>[1],
  { report, version }: { readonly report: PollReport; readonly version: string | undefined },
): void {
  if (text.trim() === '') return;
  report.about(name, stream === 'stdout' ? 'info' : 'warn', text, { version });
}

/** An event of the agent, or of its poller. */
export function reportEvent(
  event: AgentEvent,
  { report, metrics }: { readonly report: PollReport; readonly metrics: AgentMetrics | undefined },
): void {
  if (!isOwn(event)) {
    metrics?.onEvent(event);
    report.onEvent(event);
    return;
  }
  metrics?.onOwnEvent(event);
  const line = agentLine(event);
  if (!line) return;
  const reported = reportedBy(event);
  if ('name' in event) report.about(event.name, line.level, line.text, reported);
  else report.note(line.level, line.text, reported);
}
