import type { ServedConfig, ServedRefusal } from '../../core/trust/served-config.ts';

/** Why documents are not saved (D264); undefined if nothing is wrong. */
export async function documentFault(
  documents: Pick<ServedConfig, 'config' | 'policy'>,
): Promise<ServedRefusal | undefined> {
  // Reading documents loads much, and few registries have any.
  const { checkedServed } = await import('../../config/served/checked-served.ts');
  const checked = checkedServed(documents);
  return checked.ok ? undefined : checked.error;
}
