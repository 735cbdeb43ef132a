import { describe, expect, it } from 'vitest';
import {
  parseReadiness,
  parseRestartStatus,
  type Readiness,
} from '../../../src/core/machine/readiness.ts';

const PLACE = 'with a port and a loopback address';

describe('a way to be ready', () => {
  it.each<[string, Readiness]>([
    ['none', { kind: 'none' }],
    ['socket', { kind: 'socket' }],
    ['http://127.0.0.1:8080', { kind: 'http', url: 'http://127.0.0.1:8080/' }],
    ['http://127.10.20.30:1/ready', { kind: 'http', url: 'http://127.10.20.30:1/ready' }],
    ['http://localhost:65535?deep', { kind: 'http', url: 'http://localhost:65535/?deep' }],
    ['http://[::1]:80#part', { kind: 'http', url: 'http://[::1]/#part' }],
    ['tcp://127.0.0.1:5432', { kind: 'tcp', host: '127.0.0.1', port: 5432 }],
    ['tcp://localhost:65535', { kind: 'tcp', host: 'localhost', port: 65_535 }],
    ['tcp://[::1]:5432', { kind: 'tcp', host: '::1', port: 5432 }],
  ])('%s', (text, value) => {
    expect(parseReadiness(text)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    'None',
    'socket ',
    'http://127.0.0.1/ready',
    'http://127.0.0.1:0',
    'http://127.0.0.1:080',
    'http://127.0.0.1:65536',
    'http://127.0.0.1:80x',
    'http://10.0.0.1:80',
    'http://localhost.example:80',
    'http://not.localhost:80',
    'http://me@127.0.0.1:80',
    'https://127.0.0.1:80',
    'tcp://127.0.0.1:80/',
    'tcp://127.0.0.1:65536',
    'tcp://10.0.0.1:80',
    'tcp://127.0.0.1:80 ',
    ' http://127.0.0.1:80',
  ])('%o is none', (text) => {
    const expected = `none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT, ${PLACE}`;
    const error = `"${text}" is not a way to be ready, expected ${expected}`;
    expect(parseReadiness(text)).toEqual({ ok: false, error });
  });
});

describe('the address at which a server says whether it may be restarted', () => {
  it('is one of this machine', () => {
    const value = 'http://127.0.0.1:8080/restart';
    expect(parseRestartStatus(value)).toEqual({ ok: true, value });
  });

  it.each(['none', 'socket', 'tcp://127.0.0.1:80', 'http://10.0.0.1:80/'])('is not %s', (text) => {
    const expected = `http://127.0.0.1:PORT/PATH, ${PLACE}`;
    const error = `"${text}" is not an address of this machine, expected ${expected}`;
    expect(parseRestartStatus(text)).toEqual({ ok: false, error });
  });
});
