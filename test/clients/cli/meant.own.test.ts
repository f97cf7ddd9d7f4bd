import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildClient } from '../../../infra/build-clients.ts'
import { authority } from '../../support/certificates.ts'
import { useCommandLine } from '../../support/command-line.ts'
import { useService } from '../../support/service.ts'

/**
 * Input as users write it: names for ids, times in words, options by their last word; and the next step after errors.
 */
const service = useService()
const keymgr = useCommandLine()
const DAY_MS = 86_400_000

beforeAll(async () => {
  const { code, error } = await keymgr.logIn(service())
  expect(code, error).toBe(0)
})

/** The body of the call that a dry run shows. */
const bodyOf = (call: string): any => JSON.parse(/-d '(.*)'/.exec(call)?.[1] ?? 'null')

test('a nested option is named by its last word, also to clear a field', async () => {
  const words = ['cloud-a', 'upload-key', '--kms', 'shop', '--region', 'eu-west-1', '--source-key-identifier', 'orders']
  const call = await keymgr.done(...words, '--alias', 'orders', '--no-bypass-policy-lockout-safety-check', '--dry-run')
  expect(bodyOf(call).cloud_a_param).toEqual({ Alias: 'orders', BypassPolicyLockoutSafetyCheck: false })
  const secret = ['log-in-connections', 'create', '--name', 'idp', '--strategy', 'oidc', '--client-secret', 'Marked-1']
  expect(await keymgr.run(secret)).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^--oidc\.client-secret is a s/),
  })
})

test('a time is a date, now, or a distance from now, which filters count back', async () => {
  const name = ['vault', 'keys', 'create', '--name', 'timed', '--algorithm', 'aes']
  const times = ['--activation-date', 'now', '--deactivation-date', '30d', '--destroy-date', '2099-01-31']
  const { activationDate, deactivationDate, destroyDate } = bodyOf(await keymgr.done(...name, ...times, '--dry-run'))
  expect(destroyDate).toBe('2099-01-31T00:00:00Z')
  const days = (Date.parse(deactivationDate as string) - Date.parse(activationDate as string)) / DAY_MS
  expect(days).toBeCloseTo(30, 3)
  const since = bodyOf(
    await keymgr.done('platform', 'audit-log-exports', 'create', '--from', '-7d', '--to', 'now', '--dry-run'),
  )
  expect((Date.parse(since.to as string) - Date.parse(since.from as string)) / DAY_MS).toBeCloseTo(7, 3)
  await keymgr.done(...name)
  expect(await keymgr.json('vault', 'keys', 'list', '--created-after', '1h', '--query', 'total')).toBe(1)
  expect(await keymgr.json('vault', 'keys', 'list', '--created-before', '1h', '--query', 'total')).toBe(0)
})

test('a field that accepts only an id accepts a name, in options and in a whole body', async () => {
  const { id } = await keymgr.json('ca', 'local-cas', 'create', '--cn', 'Shop Root', '--name', 'shop-root')
  const created = ['clients', 'profiles', 'create', '--name']
  expect(await keymgr.json(...created, 'tills', '--ca-id', 'shop-root')).toMatchObject({ ca_id: id })
  const whole = await keymgr.run([...created, 'counters', '--body', '-'], { input: '{"ca_id":"shop-root"}' })
  expect(JSON.parse(whole.out)).toMatchObject({ ca_id: id })
  expect(await keymgr.run([...created, 'none', '--ca-id', 'of nobody'])).toMatchObject({
    code: 5,
    error: 'Nothing has the name "of nobody".\n',
  })
})

test('an export of the platform is waited for with its token, and its id is shown before', async () => {
  const credential = await keymgr.json('audit', 'platform-credentials', 'create', '--name', 'feed')
  const asked = ['platform', 'token', 'generate', '--grant-type', 'client_credentials']
  const generated = await keymgr.run([...asked, '--client-id', credential.client_id, '--client-secret-file', '-'], {
    input: credential.client_secret as string,
  })
  const environment = { KEYMGR_TOKEN: JSON.parse(generated.out).access_token as string }
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('sign-heads')
  const times = ['--from', '-1h', '--to', '-30m', '--url', `${service().deployment.baseUrl}/api`]
  const words = ['platform', 'audit-log-exports', 'create', ...times, '--wait', '-o', 'json']
  const { code, out, error } = await keymgr.run(words, { environment })
  expect(code, error).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ status: 'completed' })
  expect(error).toMatch(/^Job [0-9a-f-]{36}\n[^]*completed/)
})

test('a call of the platform without its token names the source of such tokens', async () => {
  const { code, error } = await keymgr.run(['platform', 'service-instances', 'list'])
  expect({ code, error }).toEqual({ code: 3, error: expect.stringContaining('keymgr platform token generate') })
})

test('an error about an untrusted certificate names the option that trusts it', async () => {
  const server = https.createServer(authority('of nobody').issue('localhost'), (_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, error } = await keymgr.run(['users', 'list', '--url', url], { environment: { KEYMGR_TOKEN: 'any' } })
  server.close()
  expect({ code, error }).toEqual({ code: 8, error: expect.stringContaining('--ca file (PEM) names its authority') })
})

test.each([
  ['20.20.2', 'keymgr needs Node 24 or later; this is 20.20.2.\n'],
  [undefined, 'keymgr needs Node 24 or later; this is another engine.\n'],
])('an older or unknown Node is refused in one sentence: %s', async (version, sentence) => {
  const pretend = `Object.defineProperty(process.versions,'node',{value:${JSON.stringify(version)}})`
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(pretend)}` }
  expect(await keymgr.run(['vault', 'keys', 'list'], { environment })).toEqual({ code: 1, out: '', error: sentence })
})

test('a proof that was saved is checked without the service, and a changed one is refused', async () => {
  await buildClient('verifier', keymgr.folder)
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('sign-heads')
  const [proof, keys] = ['proof.json', 'jwks.json'].map((name) => path.join(keymgr.folder, name)) as [string, string]
  const record = await keymgr.json('audit', 'records', 'list', '--message', 'Create Key', '--query', 'resources[0].id')
  await keymgr.done('audit', 'proofs', 'inclusion', '--record', record as string, '--out', proof)
  await keymgr.done('audit', 'heads', 'jwks', '--out', keys)
  const verified = () =>
    spawnSync(process.execPath, [path.join(keymgr.folder, 'keymgr-verify.mjs'), 'proof', proof, '--key', keys], {
      encoding: 'utf8',
    })
  expect(verified()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\S+: Create Key of [^]*Proven by the head/),
  })
  const saved = JSON.parse(fs.readFileSync(proof, 'utf8')) as { record_bytes: string }
  const bytes = Buffer.from(saved.record_bytes, 'base64').toString().replace('"status":"success"', '"status":"failure"')
  fs.writeFileSync(proof, JSON.stringify({ ...saved, record_bytes: Buffer.from(bytes).toString('base64') }))
  expect(verified()).toMatchObject({ status: 1, stdout: expect.stringContaining('was altered after it was logged') })
})
