import type { NewCommand } from '../../registry/command-documents.ts';

const UNSIGNED =
  'its policy names a trust document, so that operators sign what is not a hold: give it with --key';

/** Why a machine would refuse a command for lack of signatures (D300), by the pin that it reported (D406). */
export function unsignedFault(
  isPinned: boolean,
  { kind, signed }: Pick<NewCommand, 'kind'> & { readonly signed?: object | undefined },
): string | undefined {
  return isPinned && kind !== 'hold' && !signed ? UNSIGNED : undefined;
}
