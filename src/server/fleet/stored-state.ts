import { isJsonObject } from '../../registry/formats/json-object.ts';
import type { ModuleStates } from '../../registry/fleet-client.ts';
import { factsProblem } from '../../registry/reported-facts.ts';
import type { Row } from '../../sqlite/statements.ts';

type StoredState = ModuleStates['state'];

/**
 * What machines report about a module, from a row of `states`. What cannot be read of it is missing, and `unreadable` says why: an
 * earlier or later modreg may have stored it, or the file is damaged, and the rows of other machines are read all the same (T266).
 */
export function storedState(row: Row): StoredState {
  const known = {
    module_id: String(row['module_id']),
    deployed: String(row['deployed']),
    decision: String(row['decision']),
  };
  const content = storedJson(row['content']);
  if (!isReadable(content)) return { ...known, ...NOTHING, unreadable: 'its row is damaged' };
  const { constraint, target, reason, because, stops, platform, facts } = content;
  const rest = { constraint, target, reason, because: reasonIn(because), stops, platform };
  const problem = facts === null ? undefined : factsProblem(facts);
  if (problem === undefined) return { ...known, ...rest, facts };
  return { ...known, ...rest, facts: null, unreadable: `facts: ${problem}` };
}

const NOTHING = {
  constraint: null,
  target: null,
  reason: null,
  stops: [],
  facts: null,
  platform: 'unknown',
} as const;

type Content = Omit<StoredState, 'module_id' | 'deployed' | 'decision' | 'unreadable'>;

function isReadable(content: unknown): content is Content {
  if (!isJsonObject(content)) return false;
  const { constraint, target, reason, stops, platform, facts } = content;
  const texts = [constraint, target, reason].every(isTextOrNull);
  const hasStops = Array.isArray(stops) && stops.every((one) => typeof one === 'string');
  return texts && hasStops && typeof platform === 'string' && typeof facts === 'object';
}

/** Undefined if it cannot be read: its text says the same. */
function reasonIn(because: StoredState['because']): StoredState['because'] {
  const { code, facts } = Object(because);
  const hasFacts = Array.isArray(facts) && facts.every((one) => typeof one === 'string');
  return typeof code === 'string' && hasFacts ? { code, facts } : undefined;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

/** The value of a stored JSON text; undefined if it is not JSON. */
export function storedJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
