import { rmSync, writeFileSync } from 'node:fs';
import { marked, runIdOf } from '../../../src/agent/process/process-table.ts';
import type { Clock } from '../../../src/registries/index.ts';
import { agentSite, INTERVAL_MS, type AgentSite } from '../../support/agent-site.ts';
import { skippingClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry } from '../../support/planned.ts';

const BACK_OFFS = new Set([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
/** A back-off takes a moment. No other wait of these sites takes as long as one. */
const hurried = skippingClock(INTERVAL_MS);
export const CLOCK: Clock = {
  ...hurried,
  sleep: async (ms, signal) => await hurried.sleep(BACK_OFFS.has(ms) ? 10 : ms, signal),
};
/** A version counts as ready if it has stayed up for so long: it must have ended before, also on a busy machine. */
export const RUN = { readyMs: 400, probationMs: 100, stopMs: 1500, probeMs: 1500 };

/** A machine whose modules need a camera. */
export async function withCamera(...names: string[]): Promise<{
  readonly site: AgentSite;
  readonly plug: () => void;
  /** The module that has the camera ends. */
  readonly unplug: () => void;
  readonly camera: string;
  /** The program of a version that needs it. */
  readonly needs: string;
}> {
  const camera = `${temporaryFolder()}/camera`;
  const modules = names.map((name) => entry('acme:lidar', '1.*', name));
  const site = await agentSite({ modules }, RUN, { clock: CLOCK });
  const plug = (): void => writeFileSync(camera, '');
  plug();
  const unplug = (): void => {
    rmSync(camera);
    for (const { pid } of marked(`${runIdOf(site.home)}/`)) process.kill(pid, 'SIGKILL');
  };
  return { site, plug, unplug, camera, needs: `[ -e ${camera} ] || exit 5; exec sleep 1000` };
}
