import { createHash } from 'node:crypto';

/** Milliseconds that the work below takes at most on a machine for which time limits are chosen. */
const USUAL_MS = 150;

function measured(): number {
  const began = performance.now();
  let digest = '';
  for (let round = 0; round < 100_000; round += 1)
    digest = createHash('sha256').update(digest).digest('hex');
  return Math.ceil((performance.now() - began) / USUAL_MS);
}

/** How many times slower this machine was at the beginning of the run, with what else it does: time limits are multiplied by it. Rounded up. */
export const SLOWNESS: number = Number(process.env['MODREG_SLOWNESS'] ?? measured());
