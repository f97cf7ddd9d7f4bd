import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { EXIT_CODES } from '../../../clients/cli/failures.ts'
import { useCommandLine } from '../../support/command-line.ts'

const keymgr = useCommandLine()

test('the version is that of the package', async () => {
  expect(await keymgr.done('--version')).toBe(`keymgr ${packageJson.version}\n`)
})

test('help lists the words, and explains those of a group', async () => {
  for (const args of [[], ['--help'], ['help']]) expect(await keymgr.done(...args)).toMatch(/^ {2}vault +Local keys/m)
  expect(await keymgr.done('cloud-a', 'keys', '--help')).toMatch(/^ {2}rotate <id-or-alias> +Rotate Cloud-a Key$/m)
  expect(await keymgr.done('help', 'vault')).toMatch(/^ {2}keys rotate <id> +Rotate Key$/m)
})

test('help of a command lists its callers, options and rules, with an example', async () => {
  const help = await keymgr.done('cloud-a', 'keys', 'rotate', '--help')
  expect(help).toMatch(/^keymgr cloud-a keys rotate <id-or-alias> \[options\]\n/)
  expect(help).toContain('Rotate Cloud-a Key. For admin, keymgr Admins, keymgr Users.')
  expect(help).toContain('Calls POST /v1/keymgr/cloud-a/keys/{id}/rotate.')
  expect(help).toMatch(/^ {2}--\[no-\]retain-alias/m)
  expect(help).toContain('disable_encrypt and disable_encrypt_on_all_accounts are mutually exclusive.')
  expect(help).toMatch(/Example:\n {2}keymgr cloud-a keys rotate orders\n/)
  expect(await keymgr.done('users', 'create', '-h')).toMatch(/--password-file file\|-/)
  expect(await keymgr.done('users', 'get', '--help')).toContain('Example:\n  keymgr users get anna\n')
  expect(await keymgr.done('login', '--help')).toMatch(/--device/)
})

test('help has the bits, units, limits and defaults of options', async () => {
  const help = (await keymgr.done('vault', 'keys', 'create', '--help')).replace(/\s+/g, ' ')
  expect(help).toContain('sum of bits: 1 sign, 2 verify, 4 encrypt, 8 decrypt,')
  expect(help).toContain('--activation-date time such as 2030-01-31, ')
  const deletion = (await keymgr.done('cloud-a', 'keys', 'schedule-deletion', '--help')).replace(/\s+/g, ' ')
  expect(deletion).toContain('days until the key is deleted; 7 to 30')
  const rotation = (await keymgr.done('cloud-a', 'keys', 'enable-auto-rotation', '--help')).replace(/\s+/g, ' ')
  expect(rotation).toContain('days; 90 to 2560; default 365')
})

test('help lists the exit codes', async () => {
  const help = await keymgr.done('help', 'exit-codes')
  for (const [code, about] of Object.values(EXIT_CODES))
    expect(help).toMatch(new RegExp(`^ +${code} +${about.slice(0, 20)}`, 'm'))
})
