/**
 * `npm run keep -- <version>`: writes `test/upgrade/kept/<version>.tar.gz`, the data of this version. It contains
 * the records that the demo makes in the simulated clouds, and one of most other kinds. Its keys protect nothing else.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { startDeployment, type Deployment } from '../../infra/local/deployment.ts'
import { show } from '../../infra/local/demo/workflow.ts'
import build, { BUNDLES } from '../support/build.ts'
import { call } from '../support/service.ts'
import { ADMIN_PASSWORD } from '../support/test-deployment.ts'
import { keep, KEPT, KEPT_HOST, listPaths, resourcesOf, type Expected, type KeptRecord } from './kept.ts'

const PROXY_TIMEOUT_MS = 10_000
const USER = { username: 'kept-user', password: 'Pass-word-9x' } as const

type Ask = (method: string, to: string, body?: object) => Promise<any>

/** @throws Error if an answer is a refusal */
const asks =
  (base: string, token: string): Ask =>
  async (method, to, body) => {
    const answered = await call(base, method, to, { token, body })
    if (answered.status >= 300) throw new Error(`${method} ${to}: ${answered.status} ${JSON.stringify(answered.body)}`)
    return answered.body
  }

async function logIn(base: string): Promise<string> {
  const { body } = await call(base, 'POST', '/v1/auth/tokens', { body: { name: 'admin', password: ADMIN_PASSWORD } })
  return body.jwt as string
}

/** Local keys and secrets; returns their exports. */
async function makeVault(ask: Ask): Promise<Pick<Expected, 'materials' | 'secrets'>> {
  const materials: Record<string, unknown> = {}
  const keys = [
    { name: 'kept-aes', algorithm: 'aes', size: 256, labels: { kept: 'yes' } },
    { name: 'kept-rsa', algorithm: 'rsa', size: 2048 },
    { name: 'kept-ec', algorithm: 'ec' },
    { name: 'kept-hmac', algorithm: 'hmac-sha256' },
  ]
  for (const key of keys) {
    await ask('POST', '/v1/vault/keys2', key)
    await ask('POST', `/v1/vault/keys2/${key.name}/versions`)
    materials[key.name] = (await ask('POST', `/v1/vault/keys2/${key.name}/export`, {})).material
  }
  await ask('POST', '/v1/vault/secrets', { name: 'kept-secret', dataType: 'blob', material: 'a2VwdA==' })
  return {
    materials,
    secrets: { 'kept-secret': (await ask('POST', '/v1/vault/secrets/kept-secret/export', {})).material },
  }
}

async function makeOthers(ask: Ask): Promise<void> {
  await ask('POST', '/v1/usermgmt/users', USER)
  await ask('POST', '/v1/usermgmt/groups', { name: 'kept group' })
  await ask('POST', '/v1/domains', { name: 'kept-domain', admins: [(await ask('GET', '/v1/auth/self/user')).user_id] })
  const ca = await ask('POST', '/v1/ca/local-cas', { cn: 'kept authority' })
  await ask('POST', `/v1/ca/local-cas/${String(ca.id)}/self-sign`, { duration: 3650 })
  await ask('POST', '/v1/audit/alarm-configs', {
    ...{
      name: 'kept alarm',
      description: 'refused log-ins',
      severity: 'warning',
      condition: 'package kept\nalarm := input.success == false',
    },
  })
  await ask('POST', '/v1/vault/templates', { name: 'kept template', algorithm: 'aes', size: 256 })
  await ask('POST', '/v1/vault/key-policies', { name: 'kept key policy', defaults: { algorithm: 'rsa', size: 3072 } })
  await ask('POST', '/v1/scheduler/job-configs', {
    ...{ name: 'kept schedule', operation: 'keymgr_key_rotation', run_at: '0 3 * * *' },
    keymgr_key_rotation_params: { cloud_name: 'cloud-a', expiration: '365d' },
  })
  await ask('POST', '/v1/client-management/profiles', { name: 'kept profile', ca_id: ca.id })
  await ask('POST', '/v1/keymgr/ekm/endpoints', {
    ...{ name: 'kept sessions', keyURIHostname: KEPT_HOST, endpoint_type: 'ekm-ude' },
    policy: { basic: { clients: ['kept@example.test'] } },
  })
  await ask('POST', '/v1/admin/policies', {
    ...{ name: 'kept policy', effect: 'deny', actions: ['DeleteSecret'], resources: ['*'] },
  })
}

async function listsOf(base: string, token: string): Promise<Expected['lists']> {
  const lists: Record<string, readonly KeptRecord[]> = {}
  for (const list of await listPaths(base)) lists[list] = (await resourcesOf(base, token, list)) ?? []
  return lists
}

/** Makes the records of a new deployment, and reads its answers about them. */
async function fill(deployment: Deployment): Promise<Expected> {
  const base = `${deployment.baseUrl}/api`
  const { administrator, clock, endpoints } = deployment
  await show(
    {
      ...{ baseUrl: base, administrator, password: ADMIN_PASSWORD, endpoints, leavesRecords: true },
      passSeconds: (seconds) => clock.advance(seconds * 1_000),
      stop: () => Promise.resolve(),
    },
    (text) => process.stdout.write(text),
  )
  const token = await logIn(base)
  const ask = asks(base, token)
  const vault = await makeVault(ask)
  await makeOthers(ask)
  await deployment.logsDelivered()
  await deployment.fire('drain-outbox')
  await deployment.fire('sign-heads')
  const at = clock.now().toISOString()
  return { at, username: USER.username, userPassword: USER.password, ...vault, lists: await listsOf(base, token) }
}

const version = process.argv[2]
if (version === undefined) throw new Error('npm run keep -- <version>')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keymgr-keep-'))
const dataDir = path.join(folder, 'data')
await build()
const deployment = await startDeployment({
  ...{ bundles: BUNDLES, dataDir, adminPassword: ADMIN_PASSWORD, tlsPort: 'any' },
  proxyTimeoutMs: PROXY_TIMEOUT_MS,
  environment: { KEYMGR_CALLS_PER_SECOND: '100000' },
})
try {
  const expected = await fill(deployment)
  await deployment.stop()
  fs.mkdirSync(KEPT, { recursive: true })
  keep(dataDir, expected, path.join(KEPT, `${version}.tar.gz`))
} finally {
  await deployment.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}
process.exit()
