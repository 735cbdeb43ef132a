import { excerpt } from '../core/text/quote.ts';
import type { moduleEnvironment } from './module-environment.ts';

type Unread = Extract<ReturnType<typeof moduleEnvironment>, { ok: false }>['error'][number];

const WHY: Readonly<Record<Unread['kind'], string>> = {
  'unset-variable': 'is not set',
  'forbidden-variable': 'is a secret of the agent',
  'missing-secret':
    'has no value for it on this machine: set it at the site with modreg fleet config secret set',
};

/** Why a variable of a module has no value, in words. */
export function unreadVariable({ kind, variable, reader }: Unread): string {
  const name = kind === 'missing-secret' ? `\${secret.${variable}}` : variable;
  return `${name}, which the variable ${excerpt(reader)} of the module reads, ${WHY[kind]}`;
}
