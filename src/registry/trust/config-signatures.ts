import { createHash } from 'node:crypto';
import { configText } from '../../core/trust/config-text.ts';
import type { ServedConfig } from '../../core/trust/served-config.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { operatorsOver } from './operator-signatures.ts';

/** What operators of the site `name` sign of a revision (D263). */
export function signedConfigText(
  name: string,
  { config, policy, ...of }: Omit<ServedConfig, 'signatures'>,
): string {
  const digests = {
    config: digestOf(config),
    policy: policy === undefined ? policy : digestOf(policy),
  };
  return configText(name, of, digests);
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The ids of the keys of operators that signed a revision. */
export function configSigners(
  document: Pick<TrustDocument, 'name' | 'operator'>,
  served: ServedConfig,
): readonly string[] {
  return operatorsOver(document, signedConfigText(document.name, served), served.signatures);
}
