import type { Artifact } from '../core/index.ts';

/**
 * Releases by module id, as `POST …/releases` accepts them; a version alone is a release too. One with `yanked` is
 * published and then yanked.
 */
export type Releases = Readonly<
  Record<
    string,
    readonly (
      | string
      | {
          /** SemVer 2.0.0. */
          readonly version: string;
          /** RFC 3339; the time of publishing by default. */
          readonly published_at?: string;
          /** Its files; without them it runs on every platform. */
          readonly artifacts?: readonly Artifact[];
          /** Why it is yanked; absent if it is not. */
          readonly yanked?: string;
          /** Present if a machine has to run it before any higher one. */
          readonly floor?: true;
        }
    )[]
  >
>;

/** Catalogues for tests: one module with a prerelease and a yanked release, two namespaces, and none. */
export const CATALOGUES: Readonly<Record<'lidar' | 'fleet' | 'empty', Releases>> = {
  lidar: {
    'acme:lidar': [
      { version: '1.2.3', published_at: '2026-10-01T00:00:00Z' },
      { version: '1.2.9', published_at: '2026-11-01T00:00:00Z' },
      { version: '1.2.10', published_at: '2026-11-02T00:00:00Z', yanked: 'stops the motor' },
      { version: '2.0.1', published_at: '2026-11-03T00:00:00Z' },
      { version: '2.1.0-rc.1', published_at: '2026-11-04T00:00:00Z' },
    ],
  },
  fleet: {
    'acme:arm': ['2.4.0'],
    'acme:cam': ['1.0.4', '1.3.0'],
    'nimbus:gps': ['0.9.1', '1.0.0'],
  },
  empty: {},
};
