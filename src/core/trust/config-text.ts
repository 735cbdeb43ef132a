import type { ServedConfig } from './served-config.ts';

/** The digests of the documents, `sha256:…`; undefined for a policy that the site does not set. */
export interface ConfigDigests {
  readonly config: string;
  readonly policy: string | undefined;
}

/** The text that operators sign: which documents a machine of the site `name` may run at which revision (D263). */
export function configText(
  name: string,
  { machine, revision }: Pick<ServedConfig, 'machine' | 'revision'>,
  { config, policy }: ConfigDigests,
): string {
  const lines = [name, machine, revision, `config ${config}`, `policy ${policy ?? 'none'}`];
  return `modreg/config@1\n${lines.join('\n')}\n`;
}
