import { quote } from '../core/text/quote.ts';
import { machineDetail } from '../server/fleet/machine-detail.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';

/** The names of the module entries that a machine reported, in their order; that it is unknown if it has never reported. */
export function knownMachine({ fleet, now }: SiteFiles, id: string): Answer<readonly string[]> {
  const machine = fleet.read((sql) => machineDetail(sql, id, now()));
  if (!machine) return unknownReference(`no machine has reported as ${quote(id)}`);
  const modules = machine.modules.filter(({ kind }) => kind === 'module');
  return { ok: true, value: modules.map(({ name }) => name).toSorted() };
}
