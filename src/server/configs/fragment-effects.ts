import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { CatalogueConfigs } from './catalogue-configs.ts';
import type { NewRevision } from './config-table.ts';
import type { FragmentUser, StoredFragment } from './fragment-table.ts';

/** What saving a fragment does to the machines that use it. */
export interface FragmentEffects {
  /** All of them. */
  readonly users: readonly FragmentUser[];
  /** Those that get other documents. */
  readonly effects: readonly MachineEffect[];
}

interface MachineEffect {
  readonly machine: string;
  /** The revision that it has now. */
  readonly from: number;
  /** What changes, a line each. */
  readonly changes: readonly string[];
  readonly next: NewRevision;
}

type Configs = Pick<CatalogueConfigs, 'at' | 'fragments' | 'secrets'>;

/** So many documents are compiled at once, while nothing else is answered. */
const AT_ONCE = 20;

/** What each machine gets that uses the fragment (D330). The error: what is wrong with it, or with the documents of a machine that it makes. */
export async function fragmentEffects(
  next: StoredFragment,
  configs: Configs,
): Promise<Result<FragmentEffects, string>> {
  // Reading documents loads much, and few registries have any.
  const [{ changesBetween, compiledOf, fragmentFault }, { withSecretsInPlace }] = await Promise.all(
    [import('../../config/served/compiled.ts'), import('./moved-secret.ts')],
  );
  const fault = fragmentFault(next.content);
  if (fault !== undefined) return { ok: false, error: fault };
  const users = configs.fragments.users(next.name);
  const effects: MachineEffect[] = [];
  for (const [place, user] of users.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    const effect = effectOn(user, next, {
      configs,
      changesBetween,
      compiledOf,
      withSecretsInPlace,
    });
    if (effect?.ok === false) return effect;
    if (effect) effects.push(effect.value);
  }
  return { ok: true, value: { users, effects } };
}

type Compiling = Pick<
  typeof import('../../config/served/compiled.ts'),
  'changesBetween' | 'compiledOf'
> &
  Pick<typeof import('./moved-secret.ts'), 'withSecretsInPlace'>;

/** Undefined if the machine gets the same documents. */
function effectOn(
  { machine, revision: from, source }: FragmentUser,
  next: StoredFragment,
  {
    configs,
    changesBetween,
    compiledOf,
    withSecretsInPlace,
  }: Compiling & { readonly configs: Configs },
): Result<MachineEffect, string> | undefined {
  const texts = source.fragments.map((name) =>
    name === next.name ? next.content : (configs.fragments.newest(name)?.content ?? '{}'),
  );
  const compiled = compiledOf(source, texts);
  const after = compiled.ok
    ? withSecretsInPlace(compiled.value, machine, configs.secrets)
    : compiled;
  if (!after.ok) {
    const { code, detail } = after.error;
    return { ok: false, error: `${excerpt(machine)}: ${code}: ${detail}; nothing was saved` };
  }
  const { config, policy } = after.value;
  const before = configs.at(machine, from);
  if (!before || (before.config === config && before.policy === policy)) return undefined;
  const { name, revision, author, at } = next;
  const reason = `fragment ${name}, revision ${revision}: ${next.reason}`;
  const documents = { machine, basedOn: from, config, policy, source, reason, author, at };
  const changes = changesBetween(before, after.value);
  return { ok: true, value: { machine, from, changes, next: documents } };
}
