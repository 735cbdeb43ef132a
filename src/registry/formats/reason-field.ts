import type { Path } from '../../core/text/json-pointer.ts';
import type { Drop } from './decoded-list.ts';

/** The reason at `path` under `key`; undefined if it is absent or false. Any other value still yanks or deprecates. */
export function decodeReason(
  value: unknown,
  path: Path,
  key: string,
  drop: Drop,
): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value === 'string') return value;
  if (value !== true) drop([...path, key], value, 'a string');
  return '';
}

/** Whether `decodeReason` reports nothing. */
export function isCleanReason(value: unknown): boolean {
  return (
    value === undefined || value === null || typeof value === 'boolean' || typeof value === 'string'
  );
}
