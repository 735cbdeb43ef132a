import type { Row } from '../sqlite/statements.ts';

export function textOf(value: Row[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: Row[string] | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
