import type { Result } from '../../core/index.ts';
import type { ConfigTexts } from '../../config/served/compiled.ts';
import { secretsInConfig, type SecretReference } from '../../config/served/secret-places.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { ServedRefusal } from '../../core/trust/served-config.ts';
import type { CatalogueSecrets } from './secret-files.ts';

/** Documents of a machine, unless they name a value at a place for which it was not typed (D363). A name without a value is no fault. */
export function withSecretsInPlace(
  documents: ConfigTexts,
  machine: string,
  secrets: CatalogueSecrets,
): Result<ConfigTexts, ServedRefusal> {
  const kept = secrets.places(machine);
  for (const { name, place } of secretsInConfig(documents)) {
    const places = kept.get(name);
    if (!places || places.includes(place)) continue;
    const found = `\${secret.${name}} is at ${excerpt(place, LONGEST_PLACE)}, and its value was typed for ${excerpt(places.join(', '), LONGEST_PLACE)}`;
    // First, because a long message is cut at its end.
    const next = `modreg fleet config secret remove ${name} --machine ${machine}, save again, and type the value again`;
    return { ok: false, error: { code: 'moved-secret', detail: `${next}: ${found}` } };
  }
  return { ok: true, value: documents };
}

const LONGEST_PLACE = 300;

/** The places of a name in the documents of a machine, each once. */
export function placesOf(name: string, references: readonly SecretReference[]): string[] {
  return [...new Set(references.flatMap((one) => (one.name === name ? one.place : [])))];
}
