// Compared with `modreg check`: `node benchmarks/plans/ajv-check.ts <file>` validates a machine config with its JSON Schema.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { jsonSchemaOf } from 'modreg/config';

const [, , file = ''] = process.argv;
const validate = new Ajv({ allErrors: true }).compile(jsonSchemaOf('machine'));
const isValid = validate(JSON.parse(readFileSync(file, 'utf8')));
process.exitCode = isValid ? 0 : 1;
