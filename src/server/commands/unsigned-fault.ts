import type { NewCommand } from '../../registry/command-documents.ts';
import type { Statements } from '../../sqlite/statements.ts';

const UNSIGNED =
  'its policy names a trust document, so that operators sign what is not a hold: give it with --key';

/** Why a machine would refuse a command for lack of signatures (D300), by the pin that it reported (D406). */
export function unsignedFault(
  isPinned: boolean,
  { kind, signed }: Pick<NewCommand, 'kind'> & { readonly signed?: object | undefined },
): string | undefined {
  return isPinned && kind !== 'hold' && !signed ? UNSIGNED : undefined;
}

/** Whether the policy of a machine names a trust document, as it reported to the file of `sql`. */
export function hasReportedPin(sql: Statements, machine: string): boolean {
  return sql.get('SELECT 1 FROM machines WHERE name = ? AND pinned = 1', machine) !== undefined;
}
