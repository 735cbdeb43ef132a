/** The JSON Schema of `meta.json`, for editors. */
export const META_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'meta.json of a module',
  description: 'How the agent of modreg runs a package.',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'The address of this schema, for editors.' },
    entrypoint: {
      type: 'string',
      minLength: 1,
      description:
        'The program that the agent starts, relative to the package: executable, and a program for Linux or a script with a first line such as #!/bin/sh.',
    },
    first_run: {
      type: 'string',
      minLength: 1,
      description:
        'A program that must have succeeded once before the first start of this version, relative to the package; within 15 minutes.',
    },
    ready: {
      type: 'string',
      description:
        'When the module is ready: none (once it runs), socket (it listens at $PLATFORM_MODULE_SOCKET), http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT.',
    },
    stop_timeout: {
      type: 'string',
      description: 'How long it may take to end after SIGTERM, such as 10s, before it is killed.',
    },
    restart_status: {
      type: 'string',
      description:
        'An address such as http://127.0.0.1:PORT/PATH where it answers whether it may be stopped: { "restart_allowed": false, "reason": "docking" }.',
    },
  },
} as const;
