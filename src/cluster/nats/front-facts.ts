import { excerpt } from '../../core/text/quote.ts';
import { frontNamed, type SeenFront } from '../front-name.ts';

/** More connections than a cluster has. */
const MOST = 1000;

/** The fronts that are connected to the node with this monitoring address; none if it does not answer within `ms` (D205). */
export async function frontsAt(monitor: string, ms: number): Promise<readonly SeenFront[]> {
  const address = new URL(`connz?limit=${MOST}`, `${monitor.replace(/\/$/, '')}/`);
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(ms) });
    return frontsIn(await response.json());
  } catch {
    // Many sites let only some computers ask there: what is not known refuses nothing.
    return [];
  }
}

function frontsIn(answer: unknown): readonly SeenFront[] {
  const { connections } = Object(answer) as { readonly connections?: unknown };
  if (!Array.isArray(connections)) return [];
  return connections.flatMap((connection: unknown) => {
    const { name, ip, port } = Object(connection);
    return frontNamed(String(name), excerpt(`${ip}:${port}`)) ?? [];
  });
}
