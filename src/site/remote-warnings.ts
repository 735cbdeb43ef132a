import { excerpt } from '../core/text/quote.ts';
import type { LimitWarning } from '../server/catalogue/list-limits.ts';

const KINDS = ['list-near-limit', 'list-too-large'] as const;

/** The warnings in a registry's answer to a publication. Those of other types are ignored. */
export function limitWarningsIn({ warnings }: Readonly<Record<string, unknown>>): LimitWarning[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning: unknown) => {
    const { type, detail } = Object(warning) as Readonly<Record<string, unknown>>;
    const kind = KINDS.find((one) => type === `urn:modreg:${one}`);
    return kind && typeof detail === 'string' ? [{ kind, message: excerpt(detail) }] : [];
  });
}
