import { RegistryError, type RegistryErrorKind } from '../registry-error.ts';

const VERDICTS: Partial<Record<RegistryErrorKind, string>> = {
  'registry-regressed': 'sent a list that is cut short',
  'list-too-large': 'sent too long a list',
};

/** What `work` makes of an answer of `where`, which is named in the RegistryErrors that it throws. */
export function withErrorContext<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const verdict = VERDICTS[error.kind] ?? 'does not answer as a registry';
    throw new RegistryError(error.kind, `${where} ${verdict}: ${error.message}`, { cause: error });
  }
}
