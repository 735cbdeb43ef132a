import { bytesToAnswer } from './bytes.ts';
for (const r of bytesToAnswer()) console.log(r.list, r.bytes, 'modreg', r.modreg|0, 'warn', r.withWarnings|0, 'parse', r.jsonParse|0, (r.modreg/r.jsonParse).toFixed(3), (r.withWarnings/r.jsonParse).toFixed(3));
