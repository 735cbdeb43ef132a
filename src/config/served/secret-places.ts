import type { ModuleEntry } from '../../core/machine/machine.ts';
import type { ServedConfig } from '../../core/trust/served-config.ts';
import { readMachine } from '../read-document.ts';
import { secretsIn } from '../text/secret-template.ts';

/** A `${secret.NAME}` in a machine config. */
export interface SecretReference {
  readonly name: string;
  /** What gets the value: a value counts only for the places for which it was typed (D363). */
  readonly place: string;
}

/** A variable of a module, and the program that reads it: another module under the same name is another place. */
export function secretPlace({ name, type, moduleId, extra }: ModuleEntry, reader: string): string {
  const path = extra['executable_path'];
  const program = type === 'local' && typeof path === 'string' ? ` at ${path}` : '';
  return `/modules/${name}/env/${reader} (${type} ${moduleId}${program})`;
}

/** The references in the `env` of modules, which is the only place for them (D360). */
export function secretsOf(modules: readonly ModuleEntry[]): SecretReference[] {
  return modules.flatMap((entry) =>
    Object.entries(entry.env).flatMap(([reader, template]) =>
      secretsIn(template).map((name) => ({ name, place: secretPlace(entry, reader) })),
    ),
  );
}

/** The same of a machine config that can be read; none of another one. */
export function secretsInConfig({ config }: Pick<ServedConfig, 'config'>): SecretReference[] {
  const machine = readMachine(config, { policy: 'unreadable' });
  return machine.ok ? secretsOf(machine.value.modules) : [];
}
