/* Accepts the next revision of a site, and keeps it in the folder of its argument. */
import { accepted, keepState, keptState } from '../../../src/host/served/served-state.ts';

const [home = ''] = process.argv.slice(2);
const state = keptState(home);
const { current } = state ?? {};
if (!state || !current) throw new Error(`nothing is kept in ${home}`);
const config = JSON.stringify({ modules: [], note: 'x'.repeat(100_000) });
const served = { ...current, revision: current.revision + 1, config };
keepState(home, accepted(state, served, { by: 'operators', least: {} }, 0));
