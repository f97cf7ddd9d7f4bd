import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { authority } from '../../support/certificates.ts'
import { HOUR } from '../vault/vault.ts'
import { base64, KEYS, platform, refused, STORES, useDatacust } from './datacust-data.ts'

const datacust = useDatacust()

const PLAIN = { plaintext: base64('text') }

test('only the certificate of the key store is admitted', async () => {
  const known = await datacust().store()
  const other = await datacust().store()
  expect((await datacust().send(known, 'get-metadata')).status).toBe(200)
  for (const [what, certified] of [
    ['none', null],
    ['that of another store', other.certified],
    ['another one with the same name, of the same authority', platform.issue('platform client')],
    ['one of another authority', authority('Else').issue('platform client')],
  ] as const)
    expect(await datacust().send(known, 'get-metadata', {}, certified), what).toEqual(refused(401))
})

test('a certificate in a header admits no one, nor does the address without mutual TLS', async () => {
  const { store, certified } = await datacust().store()
  const { deployment } = datacust().vault.service
  const answered = await fetch(`${deployment.baseUrl}${new URL(store.keystore_url as string).pathname}/get-metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-cert': encodeURIComponent(certified.cert) },
    body: JSON.stringify({ request_metadata: { sap_tenant_id: store.sap_tenant_id } }),
  })
  expect(answered.status).toBe(401)
})

test('a replaced certificate is refused from the next call on, and so is an expired one', async () => {
  const known = await datacust().store()
  expect((await datacust().send(known, 'get-metadata')).status).toBe(200)
  const now = datacust().vault.service.deployment.clock.now().getTime()
  const soon = platform.issue('next', { from: new Date(now - HOUR), until: new Date(now + HOUR) })
  await datacust().vault.admin.ok('PATCH', `${STORES}/${known.store.id as string}`, { certificate: soon.cert })
  expect(await datacust().send(known, 'get-metadata')).toEqual(refused(401))
  expect((await datacust().send(known, 'get-metadata', {}, soon)).status).toBe(200)
  datacust().vault.advance(2 * HOUR)
  expect(await datacust().send(known, 'get-metadata', {}, soon)).toEqual(refused(401))
})

test('checks run in the order of the protocol', async () => {
  const known = await datacust().store()
  const key = await datacust().key(known)
  const other = await datacust().store()
  const foreign = await datacust().key(other)
  const { store, certified } = known
  const at = `keys/${key.id as string}/symmetric-encrypt`
  const tenant = { sap_tenant_id: store.sap_tenant_id }
  const unknown = { ...store, keystore_url: store.keystore_url.replace(store.id, randomUUID()) }
  expect(await datacust().raw(unknown, 'get-metadata', {}, null)).toEqual(refused(401))
  expect(await datacust().raw(unknown, 'get-metadata', {}, certified)).toEqual(refused(404))
  expect(await datacust().raw(store, at, { filler: 'x'.repeat(131_072) }, certified)).toEqual(refused(413))
  for (const request_metadata of [undefined, 'text', {}, { sap_tenant_id: 7 }, { ...tenant, sap_group_id: 7 }])
    expect(await datacust().raw(store, at, { request_metadata }, certified)).toEqual(refused(400))
  const elsewhere = { request_metadata: { sap_tenant_id: 'else' } }
  expect(await datacust().raw(store, `keys/${randomUUID()}/get-metadata`, elsewhere, certified)).toEqual(refused(403))
  const upper = { request_metadata: { sap_tenant_id: store.sap_tenant_id.toUpperCase(), more: 1 }, more: 1, ...PLAIN }
  expect((await datacust().raw(store, at, upper, certified)).status).toBe(200)
  expect(await datacust().send(known, `keys/${foreign.id as string}/get-metadata`)).toEqual(refused(404))
  expect(await datacust().send(known, 'keys/else/get-metadata')).toEqual(refused(404))
  const wrongVersion = { ...PLAIN, key_version_id: foreign.version_id }
  expect(await datacust().send(known, at, wrongVersion)).toEqual(refused(404))
  expect(await datacust().send(known, at, { ...PLAIN, key_version_id: 7 })).toEqual(refused(400))
  expect(await datacust().send(known, at, { plaintext: 'not base64' })).toEqual(refused(400))
  expect((await datacust().send(known, 'keys/else/else')).status).toBe(404)
  await datacust().acts(KEYS, key, 'disable')
  expect(await datacust().send(known, at, wrongVersion)).toEqual(refused(403))
  await datacust().acts(STORES, store, 'block')
  expect(await datacust().send(known, 'keys/else/get-metadata')).toEqual(refused(403))
})

test.each([
  ['disable', 'enable', 'Disabled'],
  ['block', 'unblock', 'Enabled'],
  ['archive', 'recover', 'Archived'],
])('%s refuses the next call on the key until %s; its metadata shows the state', async (end, begin, state) => {
  // The instances that answer calls are others than the one that changes the key, and have answered before.
  const known = await datacust().store()
  const key = await datacust().key(known)
  const sealed = await datacust().calls(known, key, 'symmetric-encrypt', PLAIN)
  await datacust().acts(KEYS, key, end)
  expect(await datacust().call(known, key, 'symmetric-encrypt', PLAIN)).toEqual(refused(403))
  expect(await datacust().call(known, key, 'symmetric-decrypt', sealed)).toEqual(refused(403))
  expect(await datacust().calls(known, key, 'get-metadata')).toMatchObject({ state })
  expect(await datacust().calls(known, key, 'get-versions-metadata')).toMatchObject({ total: 1 })
  await datacust().acts(KEYS, key, begin)
  expect((await datacust().call(known, key, 'symmetric-decrypt', sealed)).status).toBe(200)
})

test.each([
  ['block', 'unblock'],
  ['archive', 'recover'],
])('%s refuses every next call to the key store until %s', async (end, begin) => {
  const known = await datacust().store()
  const key = await datacust().key(known)
  await datacust().acts(STORES, known.store, end)
  expect(await datacust().send(known, 'get-metadata')).toEqual(refused(403))
  expect(await datacust().call(known, key, 'get-metadata')).toEqual(refused(403))
  expect(await datacust().call(known, key, 'symmetric-encrypt', PLAIN)).toEqual(refused(403))
  await datacust().acts(STORES, known.store, begin)
  expect((await datacust().call(known, key, 'symmetric-encrypt', PLAIN)).status).toBe(200)
})

test('a local key that is deactivated only decrypts', async () => {
  const known = await datacust().store()
  const source = await datacust().localKey()
  const key = await datacust().key(known, { source_key_identifier: source.id })
  const sealed = await datacust().calls(known, key, 'symmetric-encrypt', PLAIN)
  await datacust().vault.admin.act(source.id as string, 'revoke', { reason: 'CessationOfOperation' })
  expect(await datacust().call(known, key, 'symmetric-encrypt', PLAIN)).toEqual(refused(403))
  expect((await datacust().call(known, key, 'symmetric-decrypt', sealed)).status).toBe(200)
})
