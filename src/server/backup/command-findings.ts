import { excerpt } from '../../core/text/quote.ts';
import { commandText, type SignedCommand } from '../../core/trust/command-text.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { keyIdOf, verifierOf } from '../../registry/trust/ed25519.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { signedCommands } from '../commands/command-table.ts';
import type { TrustChain } from './trust-findings.ts';

/** The signatures of commands to machines that are wrong (D408), each as a line. What another key signed was right once. */
export function* commandFindings(sql: Statements, { newest }: TrustChain): Generator<string> {
  for (const command of signedCommands(sql)) {
    const { machine, number, signed } = command;
    const where = `command ${number} of ${excerpt(machine)}`;
    if (!signed) yield `${where}: its signatures cannot be read`;
    else if (newest) {
      for (const id of wrongKeys(newest, { ...command, ...signed })) {
        yield `${where}: the signature of key ${id} is not of this command`;
      }
    }
  }
}

/** The ids of the keys of operators whose signatures are not of this command. */
function wrongKeys(
  { name, operator }: TrustDocument,
  command: SignedCommand & { readonly signatures: Readonly<Record<string, string>> },
): string[] {
  const text = commandText(name, command);
  return (operator?.keys ?? []).flatMap((key) => {
    const id = keyIdOf(key);
    const { [id]: signature } = command.signatures;
    return signature === undefined || verifierOf(key)(text, signature) ? [] : id;
  });
}
