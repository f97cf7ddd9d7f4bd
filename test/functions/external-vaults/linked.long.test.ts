import type { KmsCryptoClient, KmsManagementClient } from 'oci-keymanagement'
import { beforeAll, expect, test } from 'vitest'
import { SHOP_COMPARTMENTS } from '../../../infra/simulators/cloud-d/simulator.ts'
import { cryptoClient, keyClient, outcome, shapeOf, vaultClient } from '../../infra/simulators/cloud-d/clients.ts'
import { useExternal } from './external-vaults.ts'

const external = useExternal({ tlsPort: 'any' })
const { orders } = SHOP_COMPARTMENTS
const NAME = 'linked vault'

let vault: any
let key: any
let keys: KmsManagementClient
let crypto: KmsCryptoClient
/** The cloud's key that refers to ours. */
let keyId: string

const settled = () => external().vault.advance(5_001)
const linked = async () => {
  await external().vault.service.deployment.logsDelivered()
  const shown = [await external().ok('GET', `/vaults/${vault.id}`), await external().ok('GET', `/keys/${key.id}`)]
  return [shown[0].external_vault_params.linked_state, shown[1].hyok_key_params.linked_state]
}

const createVault = (url: string) => {
  const { id: clientAppId, secret: clientAppSecret } = external().client()
  const { domain } = external()
  return vaultClient(external().cloud).createVault({
    createVaultDetails: {
      ...{ compartmentId: orders, displayName: NAME, vaultType: 'EXTERNAL' as never },
      externalKeyManagerMetadata: {
        externalVaultEndpointUrl: url,
        privateEndpointId: domain.tenancy.privateEndpoints[0] ?? '',
        oauthMetadata: { idcsAccountNameUrl: domain.url, clientAppId, clientAppSecret },
      },
    },
  })
}
const createKey = (externalKeyId: string) =>
  keys.createKey({
    createKeyDetails: {
      ...{ compartmentId: orders, displayName: 'linked', keyShape: shapeOf('AES', 32) },
      ...{ protectionMode: 'EXTERNAL' as never, externalKeyReference: { externalKeyId } },
    },
  })

const PLAINTEXT = Buffer.from('a data key').toString('base64')
const encrypt = async () =>
  (await crypto.encrypt({ encryptDataDetails: { keyId, plaintext: PLAINTEXT } })).encryptedData.ciphertext
const decrypt = async (ciphertext: string) =>
  (await crypto.decrypt({ decryptDataDetails: { keyId, ciphertext } })).decryptedData.plaintext

beforeAll(async () => {
  vault = await external().newVault()
  key = await external().newKey(vault)
  expect(await linked()).toEqual([false, false])
  await createVault(vault.external_vault_params.endpoint_url as string)
  settled()
  keys = await keyClient(external().cloud, NAME)
  crypto = await cryptoClient(external().cloud, NAME)
  keyId = (await createKey(key.id as string)).key.id
  settled()
})

test('the cloud links a vault and a key, which cannot be deleted then', async () => {
  expect(await linked()).toEqual([true, true])
  const found = async (path: string) => (await external().ok('GET', path)).resources.map(({ id }: any) => id)
  expect(await found('/vaults?linked_state=true')).toContain(vault.id)
  expect(await found('/keys?linked_state=true&blocked=false')).toEqual([key.id])
  for (const path of [`/keys/${key.id}`, `/vaults/${vault.id}`])
    expect((await external().ask('DELETE', path)).status, path).toBe(409)
  const records = await external().vault.records(
    `service=external-vaults&resource_uri=${encodeURIComponent(key.uri as string)}`,
  )
  expect(records).toContainEqual(expect.objectContaining({ message: 'External vault keyMetadata', success: true }))
})

test('the cloud encrypts and decrypts with the key, and gets random bytes', async () => {
  expect(await decrypt(await encrypt())).toBe(PLAINTEXT)
  const { generatedKey } = await crypto.generateDataEncryptionKey({
    generateKeyDetails: { keyId, includePlaintextKey: true, keyShape: shapeOf('AES', 32) },
  })
  expect(await decrypt(generatedKey.ciphertext)).toBe(generatedKey.plaintext)
})

test('a rotation at the cloud uses the newest version, or a given one; earlier ciphertexts still decrypt', async () => {
  const before = await encrypt()
  const rotate = async (externalKeyVersionId?: string) => {
    await keys.createKeyVersion({
      keyId,
      ...(externalKeyVersionId !== undefined && { createKeyMetadataDetails: { externalKeyVersionId } }),
    })
    settled()
    const { externalKeyReferenceDetails: details } = (await keys.getKey({ keyId })).key
    return details?.externalKeyVersionId
  }
  const version = await external().ok('POST', `/keys/${key.id}/versions`, { is_native: true })
  expect(version).toMatchObject({ is_current: true, key_material_origin: 'keymgr', local_key_version: 1 })
  settled()
  expect(await rotate()).toBe(version.id)
  const middle = await encrypt()
  const source = await external().localKey()
  const other = await external().ok('POST', `/keys/${key.id}/versions`, { source_key_identifier: source.name })
  expect(other).toMatchObject({ local_key_name: source.name, local_key_version: 0 })
  settled()
  expect(await rotate(other.id as string)).toBe(other.id)
  for (const ciphertext of [before, middle, await encrypt()]) expect(await decrypt(ciphertext)).toBe(PLAINTEXT)
  expect((await external().ok('GET', `/keys/${key.id}`)).version_count).toBe(3)
})

test('a blocked vault stops the cloud, and unblocking ends that', async () => {
  const before = await encrypt()
  await external().ok('POST', `/vaults/${vault.id}/block`)
  settled()
  expect(await outcome(encrypt())).toBe('400 InvalidParameter')
  await external().ok('POST', `/vaults/${vault.id}/unblock`)
  settled()
  expect(await decrypt(before)).toBe(PLAINTEXT)
})

test('a blocked key and vault are unlinked and then deleted; the cloud finds neither', async () => {
  expect((await external().ask('POST', `/keys/${key.id}/unlink`)).status).toBe(409) // not blocked
  for (const path of [`/keys/${key.id}`, `/vaults/${vault.id}`]) {
    await external().ok('POST', `${path}/block`)
    await external().ok('POST', `${path}/unlink`)
    await external().ok('DELETE', path)
  }
  settled()
  expect(await outcome(encrypt())).toBe('400 InvalidParameter')
})
