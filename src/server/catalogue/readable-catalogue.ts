import type { Catalogue } from './catalogue.ts';

/** A catalogue that is opened to read. */
export type ReadableCatalogue = Pick<
  Catalogue,
  | 'path'
  | 'rollouts'
  | 'trust'
  | 'configs'
  | 'accounts'
  | 'log'
  | 'listedArtifacts'
  | 'listSize'
  | 'notes'
  | 'document'
  | 'modules'
  | 'summaries'
  | 'sequence'
  | 'history'
  | 'tokens'
  | 'tokenWith'
  | 'close'
>;
