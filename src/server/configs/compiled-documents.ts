import type { ConfigTexts } from '../../config/served/compiled.ts';
import type { Result } from '../../core/index.ts';
import type { ServedRefusal } from '../../core/trust/served-config.ts';
import type { CatalogueConfigs } from './catalogue-configs.ts';

/** What a machine gets of its own documents and the fragments with these names (D329), or why they are not saved (D264). */
export async function compiledDocuments(
  own: ConfigTexts,
  names: readonly string[],
  fragments: CatalogueConfigs['fragments'],
): Promise<Result<ConfigTexts, ServedRefusal>> {
  // Reading documents loads much, and few registries have any.
  const { compiledOf } = await import('../../config/served/compiled.ts');
  const texts = names.flatMap((name) => fragments.newest(name)?.content ?? []);
  return compiledOf(own, texts);
}
