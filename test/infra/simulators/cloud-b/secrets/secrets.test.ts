import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { all, clientsOf, refusalOf, send, type Clients } from '../clients.ts'

const VAULT = 'shop-standard'
const clock = createClock()
let simulator: CloudBSimulator
let clients: Clients
let count = 0
const fresh = () => `secret-${++count}`

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
})
afterEach(() => simulator.reset())
afterAll(() => simulator.stop())

test('a secret is set and read; setting it again adds a version', async () => {
  const name = fresh()
  const secrets = clients.secrets(VAULT)
  const first = await secrets.setSecret(name, 'one', { contentType: 'text/plain', tags: { a: '1' } })
  expect(first).toMatchObject({ name, value: 'one', properties: { contentType: 'text/plain', tags: { a: '1' } } })
  await secrets.setSecret(name, 'two')
  expect((await secrets.getSecret(name)).value).toBe('two')
  expect((await secrets.getSecret(name, { version: first.properties.version ?? '' })).value).toBe('one')
  expect(await all(secrets.listPropertiesOfSecretVersions(name))).toHaveLength(2)
})

test('lists and updates do not show values', async () => {
  const name = fresh()
  const { properties } = await clients.secrets(VAULT).setSecret(name, 'hidden')
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  const base = `https://${VAULT}.vault.azure.net/secrets`
  const body = { contentType: 'text/plain', attributes: { enabled: true } }
  const answers = [
    await send(simulator, 'GET', `${base}?api-version=7.4`, { bearer }),
    await send(simulator, 'PATCH', `${base}/${name}/${properties.version ?? ''}?api-version=7.4`, { bearer, body }),
    await send(simulator, 'DELETE', `${base}/${name}?api-version=7.4`, { bearer }),
  ]
  for (const { status, body: answer } of answers) {
    expect(status).toBe(200)
    expect(JSON.stringify(answer)).not.toContain('hidden')
  }
  expect(JSON.stringify(simulator.calls())).not.toContain('hidden')
})

test('a disabled secret cannot be read, and can be enabled again', async () => {
  const name = fresh()
  const secrets = clients.secrets(VAULT)
  const { properties } = await secrets.setSecret(name, 'one', { enabled: false, expiresOn: new Date('2020-01-01') })
  expect(await refusalOf(secrets.getSecret(name))).toBe('403 Forbidden:SecretDisabled')
  const version = properties.version ?? ''
  expect(await secrets.updateSecretProperties(name, version, { enabled: true, tags: { b: '2' } })).toMatchObject({
    ...{ enabled: true, tags: { b: '2' } },
  })
  expect((await secrets.getSecret(name)).value).toBe('one')
})

test('a secret is deleted, recovered, backed up, purged and restored', async () => {
  const name = fresh()
  const secrets = clients.secrets('shop-premium')
  await secrets.setSecret(name, 'one')
  await (await secrets.beginDeleteSecret(name, { intervalInMs: 1 })).pollUntilDone()
  expect(await refusalOf(secrets.getSecret(name))).toBe('404 SecretNotFound')
  expect(await refusalOf(secrets.setSecret(name, 'two'))).toBe('409 Conflict:ObjectIsDeletedButRecoverable')
  await (await secrets.beginRecoverDeletedSecret(name, { intervalInMs: 1 })).pollUntilDone()
  const backup = (await secrets.backupSecret(name)) ?? Buffer.alloc(0)
  await (await secrets.beginDeleteSecret(name, { intervalInMs: 1 })).pollUntilDone()
  expect((await all(secrets.listDeletedSecrets())).map((each) => each.name)).toEqual([name])
  await secrets.purgeDeletedSecret(name)
  await secrets.restoreSecretBackup(backup)
  expect((await secrets.getSecret(name)).value).toBe('one')
  expect(await refusalOf(clients.keys('shop-premium').restoreKeyBackup(backup))).toBe('400 BadParameter')
})

test.each<[string, string, object]>([
  ['a large value', 'x'.repeat(25_601), {}],
  ['a long type', 'x', { contentType: 'x'.repeat(256) }],
])('a secret with %s is refused', async (_what, value, options) => {
  expect(await refusalOf(clients.secrets(VAULT).setSecret(fresh(), value, options))).toBe('400 BadParameter')
})

test('a managed HSM has neither secrets nor certificates', async () => {
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'hsm')
  for (const collection of ['secrets', 'certificates', 'deletedsecrets']) {
    const url = `https://shop-hsm.managedhsm.azure.net/${collection}?api-version=7.4`
    expect((await send(simulator, 'GET', url, { bearer })).code).toBe('BadParameter')
  }
})

test('a reader of vaults does not read secrets', async () => {
  const name = fresh()
  await clients.secrets(VAULT).setSecret(name, 'one')
  const visitor = clientsOf(simulator, simulator.credentials[2]).secrets(VAULT)
  expect(await refusalOf(visitor.getSecret(name))).toBe('403 Forbidden:ForbiddenByRbac')
  expect((await all(visitor.listPropertiesOfSecrets())).map((each) => each.name)).toContain(name)
})
