/** Releases by module, as `POST …/releases` accepts them. A release with `yanked` is yanked afterwards. */
export type Releases = Readonly<Record<string, readonly MockRelease[]>>;

interface MockRelease {
  readonly version: string;
  readonly yanked?: string;
  readonly published_at?: string;
}

/** Named catalogues for tests. */
export const CATALOGUES: Readonly<Record<'lidar' | 'fleet' | 'empty', Releases>> = {
  /** One module with releases, a prerelease and a yanked one. */
  lidar: {
    'acme:lidar': [
      { version: '1.2.3', published_at: '2026-10-01T00:00:00Z' },
      { version: '1.2.9', published_at: '2026-11-01T00:00:00Z' },
      { version: '1.2.10', published_at: '2026-11-02T00:00:00Z', yanked: 'stops the motor' },
      { version: '2.0.1', published_at: '2026-11-03T00:00:00Z' },
      { version: '2.1.0-rc.1', published_at: '2026-11-04T00:00:00Z' },
    ],
  },
  /** Two namespaces. */
  fleet: {
    'acme:arm': [{ version: '2.4.0' }],
    'acme:cam': [{ version: '1.0.4' }, { version: '1.3.0' }],
    'nimbus:gps': [{ version: '0.9.1' }, { version: '1.0.0' }],
  },
  empty: {},
};
