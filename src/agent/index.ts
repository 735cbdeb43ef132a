export {
  fetchArtifact,
  type FetchedArtifact,
  type FetchOptions,
} from './install/fetch-artifact.ts';
export type { InstallFailure } from './install/install-failure.ts';
