import type { Catalogue } from '../catalogue/catalogue.ts';
import type { RegistryEvent } from '../registry-options.ts';
import type { StoredToken } from '../tokens/token.ts';

type ChangeEvent = Extract<RegistryEvent, { tokenId: string }>;
type Untold<T> = T extends unknown ? Omit<T, 'tokenId' | 'peer'> : never;

/** A request with a token that is in use. */
export interface Caller {
  readonly catalogue: Catalogue;
  readonly token: StoredToken;
  readonly now: number;
  /** Reports a change. */
  readonly changed: (change: Untold<ChangeEvent>) => void;
}
