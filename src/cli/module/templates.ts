import { META_SCHEMA } from './meta-schema.ts';

/** The languages of the templates. */
export const TEMPLATES = ['shell', 'node', 'python'] as const;

export type Template = (typeof TEMPLATES)[number];

interface TemplateFile {
  readonly path: string;
  readonly text: string;
  readonly isProgram?: true;
}

/** The files of a new module. */
export function filesOf(template: Template): readonly TemplateFile[] {
  const meta = { $schema: './.modreg/meta.schema.json', entrypoint: 'run', stop_timeout: '10s' };
  return [
    { path: 'meta.json', text: jsonText(meta) },
    { path: 'run', text: PROGRAMS[template], isProgram: true },
    { path: '.modreg/meta.schema.json', text: jsonText(META_SCHEMA) },
  ];
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const PROGRAMS: Readonly<Record<Template, string>> = {
  shell: `#!/bin/sh
# The agent starts this program in the folder of its package, and ends it with SIGTERM.
set -eu
trap 'echo "stopping"; exit 0' TERM
echo "$PLATFORM_MODULE_ID: data are in $PLATFORM_MODULE_DATA"
while true; do
  sleep 10 &
  wait $!
done
`,
  node: `#!/usr/bin/env node
// The agent starts this program in the folder of its package, and ends it with SIGTERM.
const { PLATFORM_MODULE_ID, PLATFORM_MODULE_DATA } = process.env;
console.log(\`\${PLATFORM_MODULE_ID}: data are in \${PLATFORM_MODULE_DATA}\`);
const work = setInterval(() => {}, 10_000);
process.on('SIGTERM', () => {
  console.log('stopping');
  clearInterval(work);
});
`,
  python: `#!/usr/bin/env python3
# The agent starts this program in the folder of its package, and ends it with SIGTERM.
import os
import signal
import threading

stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda number, frame: stopping.set())
print(f"{os.environ['PLATFORM_MODULE_ID']}: data are in {os.environ['PLATFORM_MODULE_DATA']}", flush=True)
while not stopping.wait(10):
    pass
print("stopping", flush=True)
`,
};
