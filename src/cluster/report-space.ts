import type { FleetFile } from '../server/fleet/fleet-file.ts';
import type { ReportEvent } from '../server/registry-options.ts';

/** Before the disk is full, reports wait: yanks need what is left (T251). */
export function spaceFor(
  fleet: FleetFile,
  onEvent: (event: ReportEvent) => void,
): { readonly isLacking: () => boolean; readonly wasLacking: () => boolean } {
  let was = false;
  return {
    isLacking() {
      const lack = fleet.lackOfSpace();
      if (lack && !was) onEvent({ kind: 'reports-wait', because: lack.message });
      if (!lack && was) onEvent({ kind: 'reports-go-on' });
      was = lack !== undefined;
      return was;
    },
    wasLacking: () => was,
  };
}
