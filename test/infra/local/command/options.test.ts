import { expect, test } from 'vitest'
import { parseOptions } from '../../../../infra/local/command/options.ts'

test('the defaults are 8080, 8443 and .keymgr', () => {
  expect(parseOptions([], {})).toEqual({ port: 8080, tlsPort: 8443, dataDir: '.keymgr', inMemory: false })
})

test('options win over variables, and variables over defaults', () => {
  const env = {
    KEYMGR_PORT: '1',
    KEYMGR_TLS_PORT: '2',
    KEYMGR_DATA_DIR: 'there',
    KEYMGR_IN_MEMORY: '1',
    KEYMGR_ADMIN_PASSWORD: 'p',
  }
  expect(parseOptions([], env)).toEqual({ port: 1, tlsPort: 2, dataDir: 'there', inMemory: true, adminPassword: 'p' })
  const args = ['--port', '0', '--tls-port=0', '--data-dir', 'here', '--in-memory']
  expect(parseOptions(args, { ...env, KEYMGR_IN_MEMORY: '0' })).toEqual({
    port: 0,
    dataDir: 'here',
    inMemory: true,
    adminPassword: 'p',
  })
})

test('an empty variable counts as none', () => {
  const env = {
    KEYMGR_PORT: '',
    KEYMGR_LEGACY_ALGORITHMS: '',
    KEYMGR_DATA_DIR: '',
    KEYMGR_IN_MEMORY: '',
    KEYMGR_ADMIN_PASSWORD: '',
  }
  expect(parseOptions([], env)).toEqual(parseOptions([], {}))
})

test('spans go to the collector that is named', () => {
  const env = { KEYMGR_OTLP_ENDPOINT: 'https://collector.example' }
  expect(parseOptions([], env)).toMatchObject({ otlp: 'https://collector.example' })
  expect(parseOptions(['--otlp', 'http://127.0.0.1:4318'], env)).toMatchObject({ otlp: 'http://127.0.0.1:4318' })
})

test('recovery and a new beginning are asked for on the command line only', () => {
  const args = ['--recover-administrator', '--begin-anew']
  expect(parseOptions(args, {})).toMatchObject({ recoverAdministrator: true, beginAnew: true })
})

test('a certificate needs its key', () => {
  expect(parseOptions(['--tls-cert', 'c', '--tls-key', 'k'], {})).toMatchObject({ tlsCert: 'c', tlsKey: 'k' })
})

test.each([['--help'], ['-h']])('%s asks for help', (arg) => {
  expect(parseOptions([arg], {})).toBe('help')
})

test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ['a port that is no number', ['--port', 'http'], {}, /^--port must be a number between 0 and 65535, not "http"\.$/],
  ['a port out of range', ['--tls-port', '65536'], {}, /^--tls-port must be/],
  ['a collector that is no address', ['--otlp', 'localhost:4318'], {}, /^--otlp must be an address/],
  ['a port of a variable', [], { KEYMGR_PORT: '-1' }, /^KEYMGR_PORT must be/],
  [
    'a flag that is none',
    [],
    { KEYMGR_IN_MEMORY: 'maybe' },
    /^KEYMGR_IN_MEMORY must be 1, true, 0 or false, not "maybe"\.$/,
  ],
  [
    'an unknown rule for legacy algorithms',
    [],
    { KEYMGR_LEGACY_ALGORITHMS: 'yes' },
    /^KEYMGR_LEGACY_ALGORITHMS must be allowed or refused, not "yes"\.$/,
  ],
  ['an unknown option', ['--prot', '1'], {}, /^Unknown option '--prot'; see --help\.$/],
  ['an argument that is no option', ['8080'], {}, /^Unexpected argument '8080'.*see --help\.$/],
  ['an option without its value', ['--port'], {}, /--port <value>.*see --help\.$/],
  ['a value for a switch', ['--in-memory=yes'], {}, /--in-memory.*see --help\.$/],
  ['an empty directory', ['--data-dir', ''], {}, /^--data-dir needs a path\.$/],
  ['a certificate alone', ['--tls-cert', 'c'], {}, /^--tls-cert and --tls-key go together\.$/],
  ['a certificate for no port', ['--tls-cert', 'c', '--tls-key', 'k', '--tls-port', '0'], {}, /^--tls-cert needs/],
])('it refuses %s in one sentence', (_what, args, env, message) => {
  expect(() => parseOptions(args, env)).toThrow(message)
  expect(() => parseOptions(args, env)).not.toThrow(/\n/)
})
