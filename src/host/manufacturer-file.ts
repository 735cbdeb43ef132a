import { readAgentConfiguration } from '../config/read-document.ts';
import type { AgentConfiguration } from '../config/index.ts';
import type { Result } from '../core/index.ts';
import { documentWithErrors } from './document-findings.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import type { Problem } from '../base/problem.ts';

/** The agent configuration that the manufacturer supplies. (agent-provisioning, attributes) */
const MANUFACTURER_FILE = '/etc/modreg/provisioning.json';

/** Reads the manufacturer's file; undefined if there is none. */
export function readManufacturer(root: string): Result<AgentConfiguration | undefined, Problem> {
  const path = `${root}${MANUFACTURER_FILE}`;
  if (!existsAt(path)) return { ok: true, value: undefined };
  const file = readRegularFile(path);
  if (!file.ok) return file;
  const { bytes, mode } = file.value;
  const read = readAgentConfiguration(bytes, { mode, unknownFields: 'warn' });
  if (read.ok) return read;
  return { ok: false, error: documentWithErrors("the manufacturer's file", path, read, 'agent') };
}
