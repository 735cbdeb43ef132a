import * as v from 'valibot';
import { parseVersion, type Version } from '../core/index.ts';
import type { AgentConfiguration } from '../core/machine/machine.ts';
import { RELEASE_CHANNELS } from '../core/plan/subsystem.ts';
import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import { quote } from '../core/text/quote.ts';
import { readWebAddress } from '../core/text/web-address.ts';
import { parseFault } from './fault.ts';
import {
  anyText,
  fields,
  flag,
  editorFields,
  oneOf,
  parsed,
  parsedText,
  type Schema,
} from './fields/fields.ts';
import type { Checked, CheckContext } from './check-context.ts';
import { VERSION_PATTERN } from './fields/patterns.ts';
import { duplicateNetworks } from './cross-checks/names.ts';
import { fieldFindings } from './cross-checks/other-document.ts';
import { agentOutline } from './cross-checks/outline.ts';
import { pinFindings } from './cross-checks/pins.ts';
import { provisioningAttributes } from './provisioning.ts';
import { applySchema } from './schema-findings.ts';
import { refusedFields, withUnknown } from './refused-fields.ts';
import { permissionFindings } from './cross-checks/secret-file.ts';
import { systemConfigurationAttributes } from './system-configuration.ts';

/** An exact version; undefined for empty text, the default, which pins nothing. */
const pinVersion: Schema<Version | undefined> = parsed<Version | undefined>(
  (value) => {
    if (value === '') return { ok: true, value: undefined };
    const version = parseVersion(value);
    return version.ok ? version : { ok: false, error: parseFault(version.error) };
  },
  { type: 'string', maxLength: 256, pattern: `^(?:${VERSION_PATTERN})?$` },
);

/** The digest of the file that a `pin_url` may carry (D36). */
const DIGEST = '#sha256=[0-9a-f]{64}|#sha512=[0-9a-f]{128}';

function digestComplaint(hash: string): string | undefined {
  if (!/^#sha/i.test(hash) || new RegExp(`^(?:${DIGEST})$`).test(hash)) return undefined;
  return `${quote(hash)} is not a complete digest, expected #sha256= and 64 hexadecimal digits in lower case`;
}

/** A web address; undefined for empty text, the default, which pins nothing. */
const pinUrl: Schema<string | undefined> = parsedText<string | undefined>(
  'an address as text',
  (text) => {
    if (text === '') return { ok: true, value: undefined };
    const url = readWebAddress(text);
    const complaint = url.ok ? digestComplaint(url.value.hash) : url.error;
    if (complaint === undefined) return { ok: true, value: text };
    const message = `not an address to download from: ${complaint}`;
    return { ok: false, error: { kind: 'bad-address', message } };
  },
  {
    maxLength: 2048,
    pattern: `^(?:[hH][tT][tT][pP][sS]?://[^\\s\\\\/?#@]+(?:[/?][^\\s\\\\#]*)?(?:#(?![sS][hH][aA])[^\\s\\\\]*|${DIGEST})?)?$`,
  },
);

const pins = { pin_version: v.optional(pinVersion), pin_url: v.optional(pinUrl) };
const disableSubsystem = v.optional(flag(), false);

const platformAgent: Schema<AgentConfiguration['platformAgent']> = v.pipe(
  fields({
    ...pins,
    release_channel: v.optional(oneOf(RELEASE_CHANNELS['platform-agent']), 'stable'),
  }),
  v.transform((options) => ({
    releaseChannel: options.release_channel,
    pinVersion: options.pin_version,
    pinUrl: options.pin_url,
  })),
);

const platformServer: Schema<AgentConfiguration['platformServer']> = v.pipe(
  fields({
    ...pins,
    release_channel: v.optional(oneOf(RELEASE_CHANNELS['platform-server']), 'stable'),
    disable_subsystem: disableSubsystem,
    attributes: v.optional(fields({ fast_start: v.optional(flag(), false) }), {}),
  }),
  v.transform((options) => ({
    releaseChannel: options.release_channel,
    pinVersion: options.pin_version,
    pinUrl: options.pin_url,
    disableSubsystem: options.disable_subsystem,
    fastStart: options.attributes.fast_start,
    isConfigured: true,
  })),
);

/** A server that the document does not name. */
const WITHOUT_SERVER: AgentConfiguration['platformServer'] = {
  releaseChannel: 'stable',
  pinVersion: undefined,
  pinUrl: undefined,
  disableSubsystem: false,
  fastStart: false,
  isConfigured: false,
};

const provisioning: Schema<AgentConfiguration['provisioning']> = v.pipe(
  fields({
    disable_subsystem: disableSubsystem,
    attributes: v.optional(provisioningAttributes, {}),
  }),
  v.transform((options) => ({
    disableSubsystem: options.disable_subsystem,
    attributes: options.attributes,
  })),
);

const systemConfiguration: Schema<AgentConfiguration['systemConfiguration']> = v.pipe(
  fields({
    disable_subsystem: disableSubsystem,
    release_channel: v.optional(anyText),
    attributes: v.optional(systemConfigurationAttributes, {}),
  }),
  v.transform((options) => ({
    disableSubsystem: options.disable_subsystem,
    releaseChannel: options.release_channel,
    ...options.attributes,
  })),
);

/** An agent configuration. Every option is optional. */
export const agentConfiguration: Schema<AgentConfiguration> = v.pipe(
  fields({
    ...editorFields,
    'platform-agent': v.optional(platformAgent, {}),
    'platform-server': v.optional(platformServer),
    'agent-provisioning': v.optional(provisioning, {}),
    'agent-syscfg': v.optional(systemConfiguration, {}),
  }),
  v.transform((subsystems) => ({
    platformAgent: subsystems['platform-agent'],
    platformServer: subsystems['platform-server'] ?? WITHOUT_SERVER,
    provisioning: subsystems['agent-provisioning'],
    systemConfiguration: subsystems['agent-syscfg'],
  })),
);

/** Reads and checks a document that is an agent configuration, not part of a machine config. */
export function checkAgent(value: unknown, context: CheckContext): Checked<AgentConfiguration> {
  const { policy = DEFAULT_POLICY, mode } = context;
  const { output, findings } = applySchema(agentConfiguration, value);
  const found = fieldFindings('agent', agentConfiguration, value, context);
  const { unknownFields, ...refused } = refusedFields('agent', value, found, context);
  const outline = v.parse(agentOutline, value);
  return {
    output: output && withUnknown(output, unknownFields),
    findings: [
      ...findings,
      ...refused.findings,
      ...duplicateNetworks(outline, []),
      ...pinFindings(outline, [], policy),
      ...permissionFindings(outline, [], mode),
    ],
    modules: 0,
  };
}
