import { excerpt } from '../../core/text/quote.ts';
import { RegistryError, type RegistryErrorKind } from '../registry-error.ts';

const VERDICTS: Partial<Record<RegistryErrorKind, string>> = {
  'registry-regressed': 'sent a list that is cut short',
  'unknown-module': 'no longer has this module',
  'registry-refused': 'refuses',
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

/** The result of `work` on the response to a request. If what answered is no registry, the hint shows the address that was requested. */
export async function addressed<T>(url: URL | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError) || error.kind !== 'not-a-registry') throw error;
    if (error.hint !== undefined || url === undefined) throw error;
    const { kind, message, cause } = error;
    // The query may have a secret.
    const hint = `look at what answers there: curl -i ${excerpt(`${url.origin}${url.pathname}`)}`;
    throw new RegistryError(kind, message, { cause, hint });
  }
}
