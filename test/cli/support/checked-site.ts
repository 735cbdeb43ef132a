import { inProcess } from '../../support/in-process.ts';
import type { Ended } from '../../support/modreg.ts';
import { component } from '../../support/planned.ts';
import { site, type Site } from '../../support/site.ts';

const ARM64 = ['--platform', 'linux/arm64'];

/** A machine with these entries, and a component for each of their modules. */
export function machineWith(...modules: readonly object[]): object {
  const ids = new Set(modules.map((one) => (one as { module_id: string }).module_id));
  return { components: Array.from(ids, (id, at) => component(`c${at}`, `${id}:x`)), modules };
}

/** Checks the machine of a site against its folder of lists. */
export async function checked(of: Site, ...options: readonly string[]): Promise<Ended> {
  const folder = site({ policy: {}, ...of });
  const lists = ['--registry', `${folder}/lists`, ...ARM64];
  const ended = await inProcess(['check', `${folder}/machine.json`, ...lists, ...options]);
  return {
    ...ended,
    stdout: ended.stdout.replaceAll(folder, ''),
    stderr: ended.stderr.replaceAll(folder, ''),
  };
}
