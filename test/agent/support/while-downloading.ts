import { expect } from 'vitest';
import type { AgentSite } from '../../support/agent-site.ts';

/** Publishes 1.1.0, and does `during` while its download takes place. Returns what happened until the agent said `line`. */
export async function whileDownloading(
  made: AgentSite,
  [id, script]: readonly [id: string, script: string],
  { during, line }: { readonly during: () => Promise<unknown> | void; readonly line: string },
): Promise<string[]> {
  const answer = made.delay(id, '1.1.0');
  made.publish(id, '1.1.0', script);
  await expect.poll(() => made.requests).toContain(`/${id}/1.1.0`);
  await during();
  const from = made.story.length;
  answer();
  await expect.poll(() => made.story).toContain(line);
  return made.story.slice(from);
}
