import * as v from 'valibot';
import { SECRET_DOCUMENTS } from '../../registry/secret-documents.ts';
import { FRAGMENT_DOCUMENTS } from '../../registry/fragment-documents.ts';
import { COMMAND_DOCUMENTS } from '../../registry/command-documents.ts';
import { CONFIG_DOCUMENTS } from '../../registry/config-documents.ts';
import { FLEET_DOCUMENTS } from '../../registry/fleet-documents.ts';
import { LOG_DOCUMENTS } from '../../registry/site-logs.ts';
import {
  machineReport,
  moduleId,
  reportedOutcome,
  reportedState,
} from '../../registry/machine-report.ts';
import { reasonBody, yankBody } from '../catalogue/published-reason.ts';
import { notesBody } from '../catalogue/release-notes.ts';
import { artifact, newRelease } from '../catalogue/published-release.ts';
import { newTrust } from '../catalogue/published-trust.ts';
import { rolloutRequest } from '../rollout/rollout-request.ts';
import {
  damagedRollout,
  listedRollout,
  rollout,
  rollouts,
  rolloutSummary,
} from '../rollout/rollout-schemas.ts';
import { componentsOf } from './openapi-components.ts';

const text = v.string();
const textOrNull = v.nullable(text);
const whole = v.pipe(v.number(), v.integer());
const count = v.pipe(whole, v.minValue(0));

const release = v.strictObject({
  version: text,
  published_at: v.pipe(text, v.metadata({ format: 'date-time' })),
  artifacts: v.pipe(
    v.optional(v.array(artifact)),
    v.description('If absent, the release runs on every platform. If empty, it runs on none.'),
  ),
  deprecated: textOrNull,
  yanked: v.pipe(textOrNull, v.description('The reason, which may be empty. Null: not yanked.')),
  requires: v.optional(
    v.pipe(
      v.record(text, v.array(text)),
      v.description(
        'What a machine must have: ranges of npm by platform-server, platform-agent or module id, and tags',
      ),
    ),
  ),
  notes: v.pipe(
    v.optional(v.literal(true)),
    v.description('Whether the release has notes; absent if not'),
  ),
  floor: v.pipe(
    v.optional(v.literal(true)),
    v.description('Present if a machine has to run the release before any higher one'),
  ),
  signatures: v.optional(
    v.pipe(
      v.record(text, text),
      v.description('Signatures of the release in base64, by the ids of their keys'),
    ),
  ),
  yank_signatures: v.optional(
    v.pipe(v.record(text, text), v.description('The same of its yank, by an author')),
  ),
  rollout: v.optional(listedRollout),
});

const problem = v.pipe(
  v.strictObject({
    type: v.pipe(text, v.regex(/^urn:modreg:[a-z-]+$/)),
    title: text,
    status: whole,
    detail: text,
    known_to: v.pipe(v.optional(count), v.description('In a gap: what the registry has')),
    sequence: v.pipe(
      v.optional(count),
      v.description('In a conflict: the last event of the rollout'),
    ),
    newest: v.pipe(
      v.optional(count),
      v.description('Of documents of a machine: the newest revision; 0 if there is none'),
    ),
    changes: v.pipe(
      v.optional(v.array(text)),
      v.description('With newest: what changed since the revision of based_on'),
    ),
    errors: v.pipe(v.optional(v.array(text)), v.description('The errors in the body, at most 50')),
  }),
  v.description('RFC 9457'),
);

const published = v.strictObject({
  module_id: moduleId,
  version: text,
  result: v.picklist(['published', 'signed', 'yanked', 'unchanged']),
  rollout: v.pipe(
    v.optional(v.literal('started')),
    v.description('The registry began a rollout of the release by default'),
  ),
  warnings: v.pipe(
    v.optional(
      v.array(
        v.strictObject({
          type: v.picklist(['urn:modreg:list-near-limit', 'urn:modreg:list-too-large']),
          detail: text,
        }),
      ),
    ),
    v.description('Limits of clients that the release list exceeds or comes near to'),
  ),
});

const uploaded = v.strictObject({
  module_id: moduleId,
  url: v.pipe(text, v.description('The address of the file for a release')),
  digest: v.pipe(text, v.regex(/^sha256:[0-9a-f]{64}$/)),
  size: v.pipe(count, v.description('In bytes')),
  result: v.picklist(['uploaded', 'unchanged']),
});

const module = v.strictObject({
  module_id: moduleId,
  generation: v.pipe(
    whole,
    v.minValue(1),
    v.description(
      'Increases by 1 with each change to the module, and by 1,000 or more when the registry is restored from a backup',
    ),
  ),
  count: v.pipe(whole, v.minValue(1), v.description('The number of releases')),
  releases: v.array(release),
});

const trust = v.strictObject({
  documents: v.pipe(
    v.array(text),
    v.description('Each in the form modreg/trust@1; a client finds the one that its policy names'),
  ),
});

const storedTrust = v.strictObject({
  version: v.pipe(whole, v.minValue(1)),
  result: v.picklist(['done', 'unchanged']),
});

const changes = v.strictObject({
  history: v.pipe(
    text,
    v.description(
      'Only numbers of responses with the same history can be compared. A registry that is restored from a backup gets another one',
    ),
  ),
  sequence: v.pipe(count, v.description('The value of after for the next request')),
  modules: v.array(moduleId),
  spread_ms: v.pipe(
    count,
    v.description('Wait a random time up to this, in milliseconds, before fetching the modules'),
  ),
  config: v.pipe(
    v.optional(text),
    v.description(
      'Names the documents that the registry serves to the machine now, if it knows others',
    ),
  ),
  commands: v.pipe(
    v.optional(count),
    v.description('The number of the newest command that waits, if the machine has not taken it'),
  ),
});

const NOTES_DOCUMENTS = {
  NewNotes: notesBody,
  Notes: v.strictObject({ module_id: moduleId, version: text, notes: textOrNull }),
  AddedNotes: v.strictObject({
    module_id: moduleId,
    version: text,
    result: v.picklist(['done', 'unchanged']),
  }),
};

/** The schemas of the OpenAPI document. */
export function registrySchemas(): Readonly<Record<string, object>> {
  return componentsOf({
    ReportedState: reportedState,
    ReportedOutcome: reportedOutcome,
    MachineReport: machineReport,
    ...FLEET_DOCUMENTS,
    ListedRollout: listedRollout,
    RolloutSummary: rolloutSummary,
    DamagedRollout: damagedRollout,
    Rollouts: rollouts,
    Rollout: rollout,
    RolloutChange: rolloutRequest,
    ModuleId: moduleId,
    Artifact: artifact,
    Release: release,
    NewRelease: newRelease,
    YankReason: reasonBody,
    NewYank: yankBody,
    Module: module,
    Modules: v.strictObject({ modules: v.array(moduleId) }),
    Changes: changes,
    Trust: trust,
    NewTrust: newTrust,
    ...CONFIG_DOCUMENTS,
    ...LOG_DOCUMENTS,
    ...COMMAND_DOCUMENTS,
    ...FRAGMENT_DOCUMENTS,
    ...SECRET_DOCUMENTS,
    StoredTrust: storedTrust,
    Published: published,
    Uploaded: uploaded,
    Yanked: v.strictObject({ module_id: moduleId, version: text, yanked: textOrNull }),
    Deprecated: v.strictObject({ module_id: moduleId, version: text, deprecated: textOrNull }),
    ...NOTES_DOCUMENTS,
    Problem: problem,
  });
}
