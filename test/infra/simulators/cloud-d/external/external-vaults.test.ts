import type { KmsCryptoClient, KmsManagementClient } from 'oci-keymanagement'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
  type Domain,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { cryptoClient, keyClient, outcome, send, shapeOf, vaultClient, wrap } from '../clients.ts'
import { startKeyManager, type KeyManager, type ManagedKey } from './key-manager.ts'

const { orders } = SHOP_COMPARTMENTS
const clock = createClock()
let simulator: CloudDSimulator
let manager: KeyManager
let domain: Domain
let keys: KmsManagementClient
let crypto: KmsCryptoClient

const pass = () => clock.advance(1_000)
const domainOf = (name: string): Domain => {
  const found = simulator.domains.find(({ tenancy }) => tenancy.name === name)
  if (found === undefined) throw new Error(`No domain is named ${name}.`)
  return found
}
const clientNamed = (name: string) => domain.tenancy.applications.find((each) => each.name === name)

/** Creates an external vault. @param more replaces usual metadata @param oauth replaces the usual application */
const createVault = (displayName: string, more: object = {}, oauth: object = {}) => {
  const { clientId = '', clientSecret = '' } = clientNamed('external-vaults') ?? {}
  return vaultClient(simulator).createVault({
    createVaultDetails: {
      ...{ compartmentId: orders, displayName, vaultType: 'EXTERNAL' as never },
      externalKeyManagerMetadata: {
        externalVaultEndpointUrl: manager.url,
        privateEndpointId: domain.tenancy.privateEndpoints[0] ?? '',
        oauthMetadata: {
          idcsAccountNameUrl: domain.url,
          clientAppId: clientId,
          clientAppSecret: clientSecret,
          ...oauth,
        },
        ...more,
      },
    },
  })
}

const createKey = (externalKeyId: string | undefined, more: object = {}) =>
  keys.createKey({
    createKeyDetails: {
      ...{
        compartmentId: orders,
        displayName: 'linked',
        keyShape: shapeOf('AES', 32),
        protectionMode: 'EXTERNAL' as never,
      },
      ...(externalKeyId !== undefined && { externalKeyReference: { externalKeyId } }),
      ...more,
    },
  })

async function linkedKey(): Promise<{ readonly keyId: string; readonly managed: ManagedKey }> {
  const managed = manager.newKey()
  const { key } = await createKey(managed.id)
  pass()
  return { keyId: key.id, managed }
}

beforeAll(async () => {
  const resolve = (host: string) => (host === 'ekm.keymgr.test' ? manager : undefined)
  simulator = await startCloudD({ clock, resolve })
  domain = domainOf('shop')
  domain.protectKeySet(false)
  manager = await startKeyManager(`${domain.url}/admin/v1/SigningCert/jwk`, clock.now)
  await createVault('external')
  pass()
  keys = await keyClient(simulator, 'external')
  crypto = await cryptoClient(simulator, 'external')
})
afterEach(() => {
  manager.state = 'ACTIVE'
  manager.broken = undefined
  clock.set(new Date())
})
afterAll(async () => {
  await simulator.stop()
  await manager.stop()
})

test('a new external vault asks the key manager for its metadata, with a token of the domain', async () => {
  const { clientId = '' } = clientNamed('external-vaults') ?? {}
  const { vault } = await createVault('another')
  expect(vault).toMatchObject({
    vaultType: 'EXTERNAL',
    externalKeyManagerMetadataSummary: {
      vendor: 'keymgr',
      externalVaultEndpointUrl: manager.url,
      oauthMetadataSummary: { idcsAccountNameUrl: domain.url, clientAppId: clientId },
    },
  })
  expect(JSON.stringify(vault)).not.toContain('secret')
  expect(JSON.stringify(simulator.calls())).not.toContain('simulated-external-vaults-secret')
  expect(manager.seen.at(-1)).toMatchObject({
    path: '/metadata',
    claims: { client_id: clientId, sub: clientId, scope: 'oci_ekms' },
  })
})

test.each<[string, () => Promise<unknown>, string]>([
  ['a wrong secret', () => createVault('x', {}, { clientAppSecret: 'wrong' }), '400 InvalidParameter'],
  [
    'a domain of another tenancy',
    () => createVault('x', {}, { idcsAccountNameUrl: domainOf('bank').url }),
    '400 InvalidParameter',
  ],
  [
    'an unknown private endpoint',
    () => createVault('x', { privateEndpointId: 'x' }),
    '400 RelatedResourceNotAuthorizedOrNotFound',
  ],
  [
    'an address without TLS',
    () => createVault('x', { externalVaultEndpointUrl: 'http://ekm.keymgr.test' }),
    '400 InvalidParameter',
  ],
  [
    'an unknown host',
    () => createVault('x', { externalVaultEndpointUrl: 'https://nowhere.test/v' }),
    '503 ServiceUnavailable',
  ],
  ['no metadata', () => createVault('x', { oauthMetadata: undefined }), '400 MissingParameter'],
])('an external vault with %s is refused', async (_what, attempt, expected) => {
  expect(await outcome(attempt())).toBe(expected)
})

test('a blocked vault, a refusal and a failure of the key manager end the creation', async () => {
  manager.state = 'BLOCKED'
  expect(await outcome(createVault('x'))).toBe('409 IncorrectState')
  manager.broken = 404
  expect(await outcome(createVault('x'))).toBe('400 InvalidParameter')
  manager.broken = 500
  expect(await outcome(createVault('x'))).toBe('503 ServiceUnavailable')
  expect(simulator.vaults().some(({ displayName }) => displayName === 'x')).toBe(false)
})

test('private endpoints are listed by region', async () => {
  const list = (region: string, compartmentId = domain.tenancy.id) =>
    send(simulator, `/kms/${region}/20180608/ekmsPrivateEndpoints?compartmentId=${compartmentId}`)
  const [id = ''] = domain.tenancy.privateEndpoints
  expect((await list('eu-frankfurt-1')).body).toMatchObject([{ id, lifecycleState: 'ACTIVE' }])
  expect((await list('us-ashburn-1')).body).toEqual([])
  expect((await list('eu-frankfurt-1', orders)).body).toEqual([])
  const one = (endpointId: string) => send(simulator, `/kms/eu-frankfurt-1/20180608/ekmsPrivateEndpoints/${endpointId}`)
  expect((await one(id)).body).toMatchObject({ id })
  expect((await one('none')).code).toBe('NotAuthorizedOrNotFound')
})

test('a key refers to a key of the key manager and its newest version', async () => {
  const managed = manager.newKey()
  const { key } = await createKey(managed.id)
  expect(key).toMatchObject({
    protectionMode: 'EXTERNAL',
    keyShape: { algorithm: 'AES', length: 32 },
    externalKeyReferenceDetails: { externalKeyId: managed.id, externalKeyVersionId: `${managed.id}-version-1` },
  })
  const { items } = await keys.listKeys({ compartmentId: orders, protectionMode: 'EXTERNAL' as never })
  expect(items.map(({ id }) => id)).toContain(key.id)
})

test.each<[string, () => Promise<unknown>, string]>([
  ['an unknown key', () => createKey('nothing'), '400 InvalidParameter'],
  ['no reference', () => createKey(undefined), '400 MissingParameter'],
  ['another shape', () => createKey(manager.newKey().id, { keyShape: shapeOf('AES', 16) }), '400 InvalidParameter'],
  ['protection by hardware', () => createKey(manager.newKey().id, { protectionMode: 'HSM' }), '400 InvalidParameter'],
  ['a disabled key', () => createKey(Object.assign(manager.newKey(), { state: 'DISABLED' }).id), '409 IncorrectState'],
  ['a short key', () => createKey(Object.assign(manager.newKey(), { bits: 128 }).id), '400 InvalidParameter'],
])('a reference to %s is refused', async (_what, attempt, expected) => {
  expect(await outcome(attempt())).toBe(expected)
})

test('the key manager encrypts and decrypts, with associated data', async () => {
  const { keyId } = await linkedKey()
  const more = { keyId, associatedData: { a: '1' } }
  const { encryptedData } = await crypto.encrypt({ encryptDataDetails: { ...more, plaintext: 'AAAA' } })
  expect(manager.seen.at(-1)?.body.aad).not.toBe('')
  const { ciphertext } = encryptedData
  expect((await crypto.decrypt({ decryptDataDetails: { ...more, ciphertext } })).decryptedData.plaintext).toBe('AAAA')
  expect(await outcome(crypto.decrypt({ decryptDataDetails: { keyId, ciphertext } }))).toBe('400 InvalidParameter')
})

test('data keys are random bytes of the key manager', async () => {
  const { keyId } = await linkedKey()
  const { generatedKey } = await crypto.generateDataEncryptionKey({
    generateKeyDetails: { keyId, includePlaintextKey: true, keyShape: shapeOf('AES', 32) },
  })
  expect(manager.seen.some(({ path, body }) => path === '/generateRandomBytes' && body.length === 32)).toBe(true)
  const { ciphertext } = generatedKey
  const { decryptedData } = await crypto.decrypt({ decryptDataDetails: { keyId, ciphertext } })
  expect(decryptedData.plaintext).toBe(generatedKey.plaintext)
})

test('a disabled external key encrypts nothing', async () => {
  const { keyId, managed } = await linkedKey()
  managed.state = 'DISABLED'
  expect(await outcome(crypto.encrypt({ encryptDataDetails: { keyId, plaintext: 'AAAA' } }))).toBe(
    '400 InvalidParameter',
  )
})

test('a reference is rotated to the newest version, or to a named one, and older ciphertexts stay readable', async () => {
  const { keyId, managed } = await linkedKey()
  const { ciphertext } = (await crypto.encrypt({ encryptDataDetails: { keyId, plaintext: 'AAAA' } })).encryptedData
  expect(await outcome(keys.createKeyVersion({ keyId }))).toBe('409 IncorrectState')
  const [second, third] = [manager.addVersion(managed), manager.addVersion(managed)]
  const rotate = async (externalKeyVersionId?: string) => {
    const { keyVersion } = await keys.createKeyVersion({
      keyId,
      ...(externalKeyVersionId !== undefined && { createKeyMetadataDetails: { externalKeyVersionId } }),
    })
    pass()
    return keyVersion
  }
  expect(await outcome(rotate('nothing'))).toBe('400 InvalidParameter')
  expect((await rotate(second)).externalKeyReferenceDetails).toMatchObject({ externalKeyVersionId: second })
  expect((await rotate()).externalKeyReferenceDetails).toMatchObject({ externalKeyVersionId: third })
  expect((await keys.getKey({ keyId })).key.externalKeyReferenceDetails).toMatchObject({ externalKeyVersionId: third })
  expect((await crypto.decrypt({ decryptDataDetails: { keyId, ciphertext } })).decryptedData.plaintext).toBe('AAAA')
})

test('an external vault supports neither import nor signing', async () => {
  expect(await outcome(keys.getWrappingKey({}))).toBe('400 InvalidParameter')
  const orderKeys = await keyClient(simulator, 'orders')
  const { publicKey } = (await orderKeys.getWrappingKey({})).wrappingKey
  const wrappedImportKey = wrap(publicKey, 'RSA_OAEP_SHA256', Buffer.alloc(32)) as never
  const details = { compartmentId: orders, displayName: 'x', keyShape: shapeOf('AES', 32), wrappedImportKey }
  expect(await outcome(keys.importKey({ importKeyDetails: details }))).toBe('400 InvalidParameter')
  const { keyId } = await linkedKey()
  const signing = { keyId, message: 'AAAA', signingAlgorithm: 'ECDSA_SHA_256' as never }
  expect(await outcome(crypto.sign({ signDataDetails: signing }))).toBe('400 InvalidParameter')
})
