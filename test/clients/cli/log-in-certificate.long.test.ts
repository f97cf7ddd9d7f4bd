import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useClients } from '../../functions/auth/clients.ts'
import { useCommandLine } from '../../support/command-line.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { ADMIN_PASSWORD } from '../../support/service.ts'

/**
 * Log-in with a certificate at the host name with mutual TLS, whose server certificate comes from an authority named by
 * an option.
 */
const all = useClients()
const keymgr = useCommandLine()
let args: string[] = []

beforeAll(() => {
  const { tlsBaseUrl = '', caCertificate = '' } = all().service.deployment
  args = ['--url', tlsBaseUrl, '--ca', file('ca.pem', caCertificate)]
})

const file = (name: string, content: string): string => {
  const at = path.join(keymgr.folder, name)
  fs.writeFileSync(at, content, { mode: 0o600 })
  return at
}
/** File names without their folder. */
const inFolder = (given: string[]): string[] => given.map((each) => path.basename(each))
const certificate = ({ cert, key }: KeyedCertificate): string[] => [
  ...['--certificate', file('certificate.pem', cert)],
  ...['--key', file('key.pem', key)],
]

test('a registered client logs in, calls with its certificate, and renews its token by itself', async () => {
  const { id, identity } = await all().client({ name: 'till', groups: ['Key Users'] })
  const words = ['login', ...args, ...inFolder(certificate(identity)), '--client-id', id, '--profile', 'till']
  const { code, error } = await keymgr.run(words, { cwd: keymgr.folder })
  expect(code, error).toBe(0)
  expect((await keymgr.json('vault', 'keys', 'list')).total).toBe(0)
  const session = path.join(keymgr.home, '.local/state/keymgr/sessions/till.json')
  const kept = JSON.parse(fs.readFileSync(session, 'utf8')) as object
  expect(kept).not.toHaveProperty('refresh_token')
  fs.writeFileSync(session, JSON.stringify({ ...kept, renew_at: 0, token: 'none' }))
  expect((await keymgr.json('vault', 'keys', 'list')).total).toBe(0)
  expect(fs.readFileSync(session, 'utf8')).not.toContain('"none"')
  expect(await keymgr.json('whoami')).toMatchObject({ profile: 'till', client: { client_id: id } })
})

test('a user logs in', async () => {
  const body = { username: 'anna', password: 'Pass-word-1x', allowed_auth_methods: ['password', 'user_certificate'] }
  const fields = { certificate_subject_dn: 'CN=anna,O=Shop' }
  await all().admin.ok('POST', '/v1/usermgmt/users', { ...body, ...fields })
  const identity = await all().issued('/O=Shop/CN=anna')
  await keymgr.done('login', ...args, ...certificate(identity), '--profile', 'anna')
  expect(await keymgr.json('whoami', '--profile', 'anna')).toMatchObject({ user: { username: 'anna' } })
  await keymgr.done('logout', '--profile', 'anna')
})

test('a service that is not trusted, and files that are no certificate, are refused', async () => {
  const { id, identity } = await all().client({ name: 'other' })
  const [, url = ''] = args
  const untrusted = await keymgr.run([
    'login',
    '--profile',
    'new',
    '--url',
    url,
    ...certificate(identity),
    '--client-id',
    id,
  ])
  expect(untrusted).toMatchObject({ code: 8, error: expect.stringMatching(/certificate/i) })
  const wrong = certificate({ cert: 'none', key: 'none' })
  const refused = await keymgr.run(['login', ...args, ...wrong, '--client-id', id])
  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('certificate.pem') })
})

test('a given authority is trusted even without a client certificate', async () => {
  const environment = { KEYMGR_NAME: 'admin', KEYMGR_PASSWORD: ADMIN_PASSWORD, HOME: keymgr.folder }
  const trusted = await keymgr.run(['vault', 'keys', 'list', ...args], { environment })
  expect(trusted.code, trusted.error).toBe(0)
  const [, url = ''] = args
  expect(await keymgr.run(['vault', 'keys', 'list', '--url', url], { environment })).toMatchObject({
    code: 8,
    error: expect.stringMatching(/certificate/i),
  })
})
