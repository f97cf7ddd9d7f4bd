import type { CloudAProxyCredential } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { SecretBytes } from '../../../crypto/secret-bytes.ts'
import { newCredential } from '../../../crypto/protocols/xks-credential.ts'
import { Refusal } from '../../../base/errors.ts'
import { accountOf, resourceUri, uuid } from '../../../base/ids.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import type { CustomKeyStoreWithSecret, KeyStoreCredential, KeyStoreCredentialQuery } from './model.ts'
import { customKeyStores, type StoredCredential, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { credentialPurpose } from './identifiers.ts'
import { assertNotInHand, findKeyStore, findKeyStoreFor, localParamsOf } from './find-key-store.ts'
import { presentStore } from './records.ts'

/** A new pair with a sealed secret. @param version counted from 1 within a store, and never reused */
export async function newStoredCredential(domain: string, version: number, now: Date): Promise<StoredCredential> {
  const id = uuid(now)
  const at = now.toISOString()
  const { accessKeyId, secretAccessKey } = newCredential()
  const clear = secretAccessKey.use((bytes) => Buffer.from(bytes))
  secretAccessKey.destroy()
  try {
    const sealed = await sealFor(domain, credentialPurpose(id), clear)
    return { id, access_key_id: accessKeyId, version, createdAt: at, updatedAt: at, sealed }
  } finally {
    clear.fill(0)
  }
}

/** Uses a pair with its secret in the clear, which is destroyed afterwards. */
export async function withCredential<T>(
  domain: string,
  credential: StoredCredential,
  work: (pair: CloudAProxyCredential) => Promise<T> | T,
): Promise<T> {
  const clear = await openFor(domain, credentialPurpose(credential.id), credential.sealed)
  const secretAccessKey = SecretBytes.take(clear)
  try {
    return await work({ accessKeyId: credential.access_key_id, secretAccessKey })
  } finally {
    secretAccessKey.destroy()
  }
}

/** The newest credential. @throws Refusal STATE_CONFLICT for a store that this service does not serve */
export function newestOf(store: StoredCustomKeyStore): StoredCredential {
  localParamsOf(store)
  const newest = store.credentials.at(-1)
  if (newest === undefined) throw new Error(`The key store ${store.id} is ours and has no credential`)
  return newest
}

/**
 * A store as shown, with its newest pair just created. Ours: a repeated request with the same `Idempotency-Key` gets
 * the pair again within a day, so that a lost answer does not cost another pair; the answer is stored sealed.
 */
export async function presentWithSecret(
  domain: string,
  stored: Stored<StoredCustomKeyStore>,
): Promise<Stored<CustomKeyStoreWithSecret>> {
  const { item, rev } = presentStore(stored)
  if (stored.item.type !== 'LOCAL') return { item, rev }
  return withCredential(domain, newestOf(stored.item), ({ accessKeyId, secretAccessKey }) => ({
    item: {
      ...item,
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey.use((bytes) => bytes.toString('utf8')),
    },
    rev,
  }))
}

const present = (
  domain: string,
  { id: store, credentials, credential_in_cloud: inCloud }: StoredCustomKeyStore,
  { sealed: _, ...credential }: StoredCredential,
): KeyStoreCredential => ({
  ...credential,
  uri: resourceUri(domain, 'keymgr', 'cloud-a-key-store-credential', credential.id),
  account: accountOf(domain),
  custom_key_store_id: store,
  is_latest: credentials.at(-1)?.id === credential.id,
  in_use_by_cloud: inCloud === credential.id,
})

/** A store's credentials, oldest first, in the order of their versions. @throws Refusal NOT_FOUND */
export async function listCredentials(
  context: Context,
  storeId: string,
  query: KeyStoreCredentialQuery,
): Promise<ResourceList<KeyStoreCredential>> {
  const { stored } = await findKeyStore(context, storeId)
  const shown = stored.item.credentials.map((one) => present(context.caller.domain.id, stored.item, one))
  return listedWhole(shown, query, ({ createdAt }) => createdAt)
}

function credentialOf({ credentials }: StoredCustomKeyStore, id: string): StoredCredential {
  const credential = credentials.find((one) => one.id === id)
  if (credential === undefined) throw new Refusal('NOT_FOUND', 'The key store has no such credential.')
  return credential
}

/** Ours: a credential's revision is that of its store. @throws Refusal NOT_FOUND */
export async function getCredential(
  context: Context,
  storeId: string,
  id: string,
): Promise<Stored<KeyStoreCredential>> {
  const { stored } = await findKeyStore(context, storeId)
  const credential = credentialOf(stored.item, id)
  return { item: present(context.caller.domain.id, stored.item, credential), rev: stored.rev }
}

/**
 * Deletes a credential, which the store then refuses.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for the newest, IN_USE for the one that the
 * cloud signs with
 */
export async function deleteCredential(context: Context, storeId: string, id: string): Promise<void> {
  const { caller, changes, now } = context
  const { stored } = await findKeyStoreFor(context, storeId, 'keystoreupdate')
  const { item: store } = stored
  const credential = credentialOf(store, id)
  assertIfMatch(context, stored)
  await assertNotInHand(context, store)
  if (store.credential_in_cloud === id)
    throw new Refusal('IN_USE', 'The cloud signs its calls with this credential: rotate it first.')
  if (newestOf(store).id === id)
    throw new Refusal('STATE_CONFLICT', 'The newest credential of a key store stays: rotate it first.')
  const credentials = store.credentials.filter((one) => one.id !== id)
  changes.update(customKeyStores, caller.domain.id, stored, { ...store, credentials, updatedAt: now.toISOString() })
  const { uri, access_key_id, version } = present(caller.domain.id, store, credential)
  context.about({ uri, name: access_key_id, before: { custom_key_store_id: storeId, access_key_id, version } })
}
