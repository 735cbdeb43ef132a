import type { Path } from '../../core/text/json-pointer.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import type { ComponentOutline, MachineOutline, Named } from './outline.ts';

/** Duplicate names of components, modules, and pins of a fake board. */
export function duplicateNames({ components, modules }: MachineOutline): Finding[] {
  return [
    ...duplicates(components, ['components'], 'component'),
    ...duplicates(modules, ['modules'], 'module'),
    ...components.flatMap((component, index) =>
      duplicatePins(component, ['components', index, 'attributes']),
    ),
  ];
}

function duplicatePins({ model, type, attributes }: ComponentOutline, path: Path): Finding[] {
  if (model !== 'fake' || type !== 'board') return [];
  const { analogs, digital_interrupts } = attributes;
  return [
    ...duplicates(analogs, [...path, 'analogs'], 'analog'),
    ...duplicates(digital_interrupts, [...path, 'digital_interrupts'], 'digital interrupt'),
  ];
}

function duplicates(entries: readonly Named[], path: Path, noun: string): Finding[] {
  const firsts = new Map<string, number>();
  return entries.flatMap(({ name }, index): Finding[] => {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, index);
    if (first === undefined || name === '') return [];
    const message = `another ${noun} is named ${excerpt(name)}`;
    return [
      {
        kind: 'duplicate-name',
        path: [...path, index, 'name'],
        message,
        also: [...path, first, 'name'],
      },
    ];
  });
}
