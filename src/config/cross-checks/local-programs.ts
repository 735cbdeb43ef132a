import { describeValue } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import type { MachineOutline } from './outline.ts';

/** Local modules whose `executable_path` is no absolute path, so that the agent does not start them (D345). */
export function unusablePrograms({ modules }: MachineOutline): Finding[] {
  return modules.flatMap(({ type, executable_path: program }, index): Finding[] => {
    const isPath = typeof program === 'string' && program.startsWith('/');
    if (type !== 'local' || program === null || isPath) return [];
    const message = `found ${describeValue(program)}, expected an absolute path; modreg agent run does not start the module`;
    return [{ kind: 'no-program', path: ['modules', index, 'executable_path'], message }];
  });
}
