import { expect, test } from 'vitest'
import { parseDemoOptions } from '../../../infra/local/demo/options.ts'
import { freePort } from '../../../infra/local/table/table.ts'
import { ADMIN_PASSWORD } from '../../support/service.ts'
import { demo, stepsOf } from './demo-support.ts'

test('without an answer from the service it ends with one sentence and exit code 1', async () => {
  const url = `http://127.0.0.1:${await freePort()}/api`
  const refused = await demo(['--url', url], { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD })
  expect(refused.code).toBe(1)
  expect(refused.err).toBe(`There is no answer from ${url} (ECONNREFUSED).\n`)
  expect(stepsOf(refused.out)).toEqual(['Log in'])
})

test('a command line that cannot be meant ends with exit code 2, help with 0', async () => {
  const wrong = await demo(['--url', 'http://127.0.0.1:9/api'])
  expect(wrong).toEqual({
    code: 2,
    out: '',
    err: "--url needs the administrator's password in KEYMGR_ADMIN_PASSWORD.\n",
  })
  const help = await demo(['--help'])
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toMatch(/^Usage: npm run demo -- \[options\]\n/)
})

test('options are read as they are meant', () => {
  const env = { KEYMGR_ADMIN_PASSWORD: 'p' }
  expect(parseDemoOptions([], env)).toEqual({ of: 'own' })
  const running = { of: 'running', baseUrl: 'https://keys.example/api', password: 'p' }
  const url = ['--url', 'https://keys.example/api//']
  expect(parseDemoOptions(url, env)).toEqual({ ...running, dataDir: '.keymgr' })
  const elsewhere = { ...env, KEYMGR_DATA_DIR: 'there' }
  expect(parseDemoOptions(url, elsewhere)).toEqual({ ...running, dataDir: 'there' })
  expect(parseDemoOptions([...url, '--data-dir', 'here'], elsewhere)).toEqual({ ...running, dataDir: 'here' })
})

test.each([
  ['an address of another kind', ['--url', 'ftp://keys.example'], '--url must be an address that begins with'],
  ['no address at all', ['--url', 'keys'], '--url must be an address that begins with'],
  ['a data directory of no service', ['--data-dir', 'here'], '--data-dir goes with --url.'],
  ['an unknown option', ['--fast'], "Unknown option '--fast'; see --help."],
])('%s is refused', (_what, args, sentence) => {
  expect(() => parseDemoOptions(args, { KEYMGR_ADMIN_PASSWORD: 'p' })).toThrow(sentence)
})
