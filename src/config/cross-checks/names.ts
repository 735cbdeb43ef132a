import { SUBSYSTEM_MODULES } from '../../core/plan/subsystem.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import type {
  AgentOutline,
  ComponentOutline,
  MachineOutline,
  Named,
  SubsystemsOutline,
} from './outline.ts';

/** Duplicate names of components, modules, and pins of a fake board. */
export function duplicateNames({ components, modules }: MachineOutline): Finding[] {
  return [
    ...duplicates(components, ['components'], 'another component is named'),
    ...duplicates(modules, ['modules'], 'another module is named'),
    ...components.flatMap((component, index) =>
      duplicatePins(component, ['components', index, 'attributes']),
    ),
  ];
}

/** Module entries that have the name of a subsystem that the agent configuration names: a command could mean either (D47). */
export function subsystemNames(
  { modules }: MachineOutline,
  { agent }: SubsystemsOutline,
): Finding[] {
  return modules.flatMap(({ name }, index): Finding[] => {
    if (!Object.hasOwn(SUBSYSTEM_MODULES, name) || !Object.hasOwn(agent, name)) return [];
    const message = `the agent configuration names the subsystem ${name}`;
    const path = ['modules', index, 'name'];
    return [{ kind: 'duplicate-name', path, message, also: ['agent', name] }];
  });
}

/** Networks with the same SSID: only one of them could be saved on the machine. */
export function duplicateNetworks(agent: AgentOutline, path: Path): Finding[] {
  const { networks } = agent['agent-provisioning'].attributes;
  const place = [...path, 'agent-provisioning', 'attributes', 'networks'];
  return duplicates(
    networks.map(({ ssid }) => ({ name: ssid })),
    place,
    'another network has the SSID',
    'ssid',
  );
}

function duplicatePins({ model, type, attributes }: ComponentOutline, path: Path): Finding[] {
  if (model !== 'fake' || type !== 'board') return [];
  const { analogs, digital_interrupts } = attributes;
  return [
    ...duplicates(analogs, [...path, 'analogs'], 'another analog is named'),
    ...duplicates(
      digital_interrupts,
      [...path, 'digital_interrupts'],
      'another digital interrupt is named',
    ),
  ];
}

function duplicates(
  entries: readonly Named[],
  path: Path,
  words: string,
  field = 'name',
): Finding[] {
  const firsts = new Map<string, number>();
  return entries.flatMap(({ name }, index): Finding[] => {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, index);
    if (first === undefined || name === '') return [];
    const message = `${words} ${excerpt(name)}`;
    return [
      {
        kind: 'duplicate-name',
        path: [...path, index, field],
        message,
        also: [...path, first, field],
      },
    ];
  });
}
