import { RegistryError, type RegistryErrorKind } from '../registry-error.ts';

const VERDICTS: Partial<Record<RegistryErrorKind, string>> = {
  'registry-regressed': 'sent a list that is cut short',
  'unknown-module': 'no longer has this module',
  'list-too-large': 'sent a list that is too large',
};

/** The result of `work` on a response of the registry `where`, whose name is added to every RegistryError. */
export function withErrorContext<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const verdict = VERDICTS[error.kind] ?? 'does not respond like a registry';
    throw new RegistryError(error.kind, `${where} ${verdict}: ${error.message}`, { cause: error });
  }
}
