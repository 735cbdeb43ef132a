import type { ConfigTexts } from '../../config/served/compiled.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/index.ts';
import type { ServedRefusal } from '../../core/trust/served-config.ts';
import type { NewRevision } from './config-table.ts';
import type { CatalogueConfigs } from './catalogue-configs.ts';

/** What another compiled document changes on a machine, a line each, as D330 says it of fragments. */
export async function changesOfDocuments(
  before: ConfigTexts | undefined,
  after: ConfigTexts,
): Promise<string[]> {
  const { changesBetween } = await import('../../config/served/compiled.ts');
  return changesBetween(before ?? { config: '{}', policy: undefined }, after);
}

/** Why documents are not saved that were compiled with an earlier fragment (D451). */
export const MOVED_FRAGMENT = 'another person saved a fragment that they use in the meantime';

/** So many are named. */
const MOST_UNKNOWN = 20;

/** Modules of documents of which the registry has no release, a sentence each (D456): another registry of the machine may have them. */
export async function unknownModules(
  config: string,
  known: readonly string[],
): Promise<readonly string[]> {
  // A registry without releases is not the one from which machines have their lists.
  if (known.length === 0) return [];
  const { writtenEntries } = await import('../../config/module-version.ts');
  const ids = new Set<string>(known);
  const unknown = writtenEntries(config).filter(
    ({ type, moduleId }) => type === 'registry' && !ids.has(moduleId),
  );
  return unknown.slice(0, MOST_UNKNOWN).map(({ moduleId }) => {
    const near = nearestWord(moduleId, ids);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    return `this registry has no release of ${excerpt(moduleId)}${meant}`;
  });
}

/** Documents, and the fragments that they were compiled with. */
type CompiledDocuments = ConfigTexts & Required<Pick<NewRevision, 'compiledWith'>>;

/** What a machine gets of its own documents and the fragments with these names (D329), or why they are not saved (D264, D363). */
export async function compiledDocuments(
  own: ConfigTexts,
  {
    machine,
    fragments: names,
  }: { readonly machine: string; readonly fragments: readonly string[] },
  { fragments, secrets }: Pick<CatalogueConfigs, 'fragments' | 'secrets'>,
): Promise<Result<CompiledDocuments, ServedRefusal>> {
  // Reading documents loads much, and few registries have any.
  const [{ compiledOf }, { withSecretsInPlace }] = await Promise.all([
    import('../../config/served/compiled.ts'),
    import('./moved-secret.ts'),
  ]);
  const used = names.flatMap((name) => fragments.newest(name) ?? []);
  const compiled = compiledOf(
    own,
    used.map(({ content }) => content),
  );
  const checked = compiled.ok ? withSecretsInPlace(compiled.value, machine, secrets) : compiled;
  const compiledWith = used.map(({ name, revision }) => ({ name, revision }));
  return checked.ok ? { ok: true, value: { ...checked.value, compiledWith } } : checked;
}
