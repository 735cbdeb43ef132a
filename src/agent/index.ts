export { checkPackage, type CheckedPackage } from './check-package.ts';
export { Agent } from './agent.ts';
export type { AgentEvent } from './event.ts';
export type { AgentOptions } from './agent-options.ts';
export type { InstallStep } from './install/install-step.ts';
export {
  fetchArtifact,
  type FetchedArtifact,
  type FetchOptions,
} from './install/fetch-artifact.ts';
export { installArtifact, type InstallOptions } from './install/install-artifact.ts';
export type { InstallFailure } from './install/install-failure.ts';
export type { Package } from './install/package.ts';
