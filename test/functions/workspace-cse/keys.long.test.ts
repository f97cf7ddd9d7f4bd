import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { USAGE } from '../../../shared/crypto/usage.ts'
import { signingPurpose } from '../../../shared/endpoints/kacls/identifiers.ts'
import { KACLS_OWNER, kaclsEndpoints, type StoredKaclsEndpoint } from '../../../shared/endpoints/kacls/store.ts'
import { openFor } from '../../../shared/keyring/domain-key.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { getItem } from '../../../shared/store/table.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { useWorkspace, workspaceOf } from './workspace-cse.ts'

const { vault, provider } = useWorkspace()
const admin = () => vault().admin
let cse: ReturnType<typeof workspaceOf>
beforeAll(() => {
  pointProcessAt(vault().service.deployment.environmentOf('triggers'))
  cse = workspaceOf(admin(), provider())
})

async function storedOf({ id }: any): Promise<StoredKaclsEndpoint> {
  const stored = await kaclsEndpoints.get(ROOT_DOMAIN_ID, id as string)
  if (stored === undefined) throw new Error('The endpoint is on record')
  return stored.item
}

/** Expects that the stored private key matches the newest public key, identified by its thumbprint. */
async function expectOwnKey({ id, sealed, signing_keys: [newest] }: StoredKaclsEndpoint): Promise<void> {
  const der = await openFor(ROOT_DOMAIN_ID, signingPurpose(id), sealed)
  const { n, e } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  })
  const members = `{"e":"${e ?? ''}","kty":"RSA","n":"${n ?? ''}"}`
  expect(newest).toEqual({ kid: createHash('sha256').update(members).digest('base64url'), n, e })
  expect(Buffer.from(n ?? '', 'base64url')).toHaveLength(256)
}

test('a new endpoint has a signing key, copies of its issuers, and an item for its address', async () => {
  const issuer = await cse.issuer()
  const endpoint = await cse.create({ issuer: [issuer.id as string] })
  const { id } = endpoint
  const stored = await storedOf(endpoint)
  await expectOwnKey(stored)
  expect(stored.providers).toEqual([{ id: issuer.id, iss: issuer.iss, jwks_uri: issuer.jwksURL }])
  const owner = await getItem(itemKey(ROOT_DOMAIN_ID, KACLS_OWNER, id))
  expect(JSON.parse(owner?.data?.S ?? '')).toEqual({ id, domain: ROOT_DOMAIN_ID })
})

test('a PATCH of issuers copies each of them once', async () => {
  const [one, two] = [await cse.issuer(), await cse.issuer()]
  const endpoint = await cse.create({ issuer: [one.id] })
  const { body } = await cse.update(endpoint, { issuer: [two.id, one.id, (two.id as string).toUpperCase()] })
  expect(body.issuer).toEqual([two.id, one.id])
  expect((await storedOf(endpoint)).providers.map(({ iss }) => iss)).toEqual([two.iss, one.iss])
})

test('disable, enable and rotate work in the permitted states, and each is recorded', async () => {
  const endpoint = await cse.create()
  const [first] = (await storedOf(endpoint)).signing_keys
  expectRefused(await cse.act(endpoint, 'enable'), 409, 8)
  expect((await cse.act(endpoint, 'disable')).body).toMatchObject({ status: 'Disabled' })
  expectRefused(await cse.act(endpoint, 'rotate-key'), 409, 8)
  expect((await cse.act(endpoint, 'enable')).body).toMatchObject({ status: 'Enabled' })
  expect((await cse.act(endpoint, 'rotate-key', { 'if-match': '"1"' })).status).toBe(412)
  const { body: rotated } = await cse.act(endpoint, 'rotate-key')
  expect(rotated).toMatchObject({ kek_version: '1', endpoint_url: endpoint.endpoint_url })
  expect(rotated.kekID).not.toBe(endpoint.kekID)
  expect(await cse.get(endpoint)).toEqual(rotated)
  const stored = await storedOf(endpoint)
  await expectOwnKey(stored)
  expect(stored.signing_keys.slice(1)).toEqual([{ ...first, until: expect.any(String) }])
  const records = await vault().records(`resource_uri=${endpoint.uri as string}`)
  expect(records.map(({ message, success }) => `${message as string} ${String(success)}`)).toEqual([
    'Create KACLS Endpoint true',
    'Disable KACLS Endpoint true',
    'Enable KACLS Endpoint true',
    'Rotate KACLS Endpoint true',
  ])
  expect(records.at(-1).details).toMatchObject({
    before: { kek_version: '0', signing_key: first?.kid },
    after: { kek_version: '1', signing_key: stored.signing_keys[0]?.kid },
  })
  expect(JSON.stringify(records)).not.toContain(stored.sealed)
})

test('a former signing key is published for two hours, and a new version in the vault is followed', async () => {
  const endpoint = await cse.create()
  await cse.act(endpoint, 'rotate-key')
  vault().advance(HOUR)
  const next = await admin().act(endpoint.kekName as string, 'versions', {})
  expect(await cse.get(endpoint)).toMatchObject({ kekID: next.id, kek_version: '2' })
  const before = await storedOf(endpoint)
  await expectOwnKey(before)
  expect(before.signing_keys.map(({ until }) => until !== undefined)).toEqual([false, true, true])
  vault().advance(HOUR + 1_000)
  await cse.act(endpoint, 'rotate-key')
  const kids = (await storedOf(endpoint)).signing_keys.map(({ kid }) => kid)
  expect(kids.slice(1)).toEqual(before.signing_keys.slice(0, 2).map(({ kid }) => kid))
  const weaker = await admin().tryAct(endpoint.kekName as string, 'versions', { usageMask: USAGE.encrypt })
  expectRefused(weaker, 422, 2, '#/usageMask')
})

test('the key of an endpoint is in use as long as the endpoint exists', async () => {
  const endpoint = await cse.create()
  const name = endpoint.kekName as string
  await admin().update(name, { undeletable: false })
  const refusal = await admin().call('DELETE', `/v1/vault/keys2/${name}`)
  expectRefused(refusal, 409, 9)
  expect(refusal.body.detail).toContain('1 KACLS endpoint')
  await cse.remove(endpoint)
  expect((await admin().call('GET', cse.at(endpoint))).status).toBe(404)
  expect(await getItem(itemKey(ROOT_DOMAIN_ID, KACLS_OWNER, endpoint.id as string))).toBeUndefined()
  await admin().remove(name)
})

test('after a rotation of the domain key the signing keys are sealed under the new one', async () => {
  const endpoint = await cse.create()
  const { body: key } = await admin().call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)
  vault().advance(121_000)
  await vault().service.deployment.fire('reseal-keys')
  const stored = await storedOf(endpoint)
  expect(sealedUnder(stored.sealed)).toBe(key.id)
  await expectOwnKey(stored)
})
