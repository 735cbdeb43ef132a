import * as v from 'valibot';

/**
 * The fields that the cross-checks compare, read leniently: a missing or unreadable text, list or object is
 * empty, so that one error does not prevent the other checks.
 */
export interface MachineOutline {
  readonly components: readonly ComponentOutline[];
  readonly modules: readonly ModuleOutline[];
  readonly agent: AgentOutline;
}

export interface ComponentOutline {
  readonly name: string;
  readonly model: string;
  readonly type: string;
  readonly depends_on: readonly string[];
  readonly attributes: {
    readonly analogs: readonly Named[];
    readonly digital_interrupts: readonly Named[];
  };
}

export interface Named {
  readonly name: string;
}

export interface ModuleOutline {
  readonly type: string;
  readonly name: string;
  readonly module_id: string;
  readonly version: unknown;
  readonly executable_path: unknown;
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentOutline {
  readonly 'platform-agent': PinsOutline;
  readonly 'platform-server': PinsOutline;
  readonly 'agent-provisioning': {
    readonly attributes: {
      readonly hotspot_password: string;
      readonly networks: readonly { readonly ssid: string; readonly psk: string }[];
    };
  };
}

export interface PinsOutline {
  readonly pin_version: string;
  readonly pin_url: string;
}

export interface PolicyOutline extends TermsOutline {
  readonly logs: { readonly endpoint: string };
  readonly modules: Readonly<Record<string, ModuleTermsOutline>>;
}

/** A term that is undefined comes from the general terms. */
interface ModuleTermsOutline {
  readonly registry: string;
  readonly allow_http?: readonly string[] | undefined;
}

interface TermsOutline {
  readonly registry: string;
  readonly allow_http: readonly string[];
}

const text: v.GenericSchema<unknown, string> = v.fallback(v.string(), '');
const named = list(part({ name: text }));
const pins = part({ pin_version: text, pin_url: text });

export const agentOutline: v.GenericSchema<unknown, AgentOutline> = part({
  'platform-agent': pins,
  'platform-server': pins,
  'agent-provisioning': part({
    attributes: part({ hotspot_password: text, networks: list(part({ ssid: text, psk: text })) }),
  }),
});

export const machineOutline: v.GenericSchema<unknown, MachineOutline> = part({
  components: list(
    part({
      name: text,
      model: text,
      type: text,
      depends_on: list(text),
      attributes: part({ analogs: named, digital_interrupts: named }),
    }),
  ),
  modules: list(
    part({
      type: text,
      name: text,
      module_id: text,
      version: v.fallback(v.unknown(), null),
      executable_path: v.fallback(v.unknown(), null),
      env: map(text),
    }),
  ),
  agent: agentOutline,
});

/** The subsystems that the agent configuration names, whatever it says about them. */
export interface SubsystemsOutline {
  readonly agent: Readonly<Record<string, unknown>>;
}

export const subsystemsOutline: v.GenericSchema<unknown, SubsystemsOutline> = part({
  agent: map(v.unknown()),
});

const terms = { registry: text, allow_http: list(text) };
const moduleTerms = part({ registry: text, allow_http: v.optional(list(text)) });

export const policyOutline: v.GenericSchema<unknown, PolicyOutline> = part({
  ...terms,
  logs: part({ endpoint: text }),
  modules: map(moduleTerms),
});

/** An object with these fields. Each must have a fallback. */
function part<Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<unknown, v.InferOutput<v.ObjectSchema<Entries, undefined>>> {
  const schema = v.object(entries);
  return v.fallback(schema, () => v.parse(schema, {}));
}

function list<T>(item: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T[]> {
  return v.fallback(v.array(item), () => []);
}

function map<T>(item: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, Record<string, T>> {
  return v.fallback(v.record(v.string(), item), () => ({}));
}
