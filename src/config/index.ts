export type {
  AgentConfiguration,
  Component,
  Machine,
  ModuleEntry,
  ProvisioningAttributes,
} from '../core/machine/machine.ts';
export type { Readiness } from '../core/machine/readiness.ts';
export {
  DEFAULT_POLICY,
  termsFor,
  type UpdatePolicy,
  type UpdateTerms,
} from '../core/machine/update-policy.ts';
export { fakeBoardOf } from './component.ts';
export type { FakeBoardAttributes } from './fake-board.ts';
export type { DocumentKind } from './document-kind.ts';
export type { DocumentProblem } from './document-problem.ts';
export type { JsonSchema } from './fields/fields.ts';
export { jsonSchemaOf } from './json-schema.ts';
export type { CheckContext } from './check-context.ts';
export { moduleEnvironment } from './module-environment.ts';
export { configurationFrom } from './configuration-from.ts';
export { mergeProvisioning } from './provisioning.ts';
export {
  checkDocument,
  readAgentConfiguration,
  readDeployedReport,
  readMachine,
  readUpdatePolicy,
  type DocumentResult,
} from './read-document.ts';
export type { CheckResult } from './report.ts';
