/** What the app is given of the world. */
export interface ServeOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Over how long clients spread their questions after a change, in milliseconds. */
  readonly spreadMs: number;
  /** Told of each change, and of each accident. */
  readonly log?: ((event: RegistryEvent) => void) | undefined;
}

export type RegistryEvent =
  | {
      readonly kind: 'published' | 'yanked' | 'unyanked';
      readonly moduleId: string;
      readonly version: string;
    }
  | { readonly kind: 'failed'; readonly error: unknown };
