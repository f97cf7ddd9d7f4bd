import { Deleted } from '../../../http/common-fields.ts'
import { lookUp, operationsOn } from '../../../cloud/operations-on.ts'
import type { Context } from '../../../http/context.ts'
import { type Operation, accepted, deleted, operation, okStored, createdStored } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import { CreateKeyInStore } from '../keys/bodies.ts'
import { CloudAKey } from '../keys/model.ts'
import { blockKeyStore, unblockKeyStore } from './block-key-store.ts'
import { connectKeyStore, disconnectKeyStore } from './connect-key-store.ts'
import { createKeyInStore } from './create-key-in-store.ts'
import { createKeyStore } from './create-key-store.ts'
import { deleteCredential, getCredential, listCredentials } from './credentials.ts'
import { deleteKeyStore } from './delete-key-store.ts'
import { getKeyStore } from './get-key-store.ts'
import { readHealth } from './health-check-key.ts'
import { linkKeyStore } from './link-key-store.ts'
import { listKeyStores } from './list-key-stores.ts'
import {
  ConnectCustomKeyStore,
  CreateCustomKeyStore,
  CustomKeyStore,
  CustomKeyStorePath,
  CustomKeyStoreQuery,
  CustomKeyStoreWithSecret,
  EnableCredentialRotation,
  KeyStoreCredential,
  KeyStoreCredentialPath,
  KeyStoreCredentialQuery,
  KeyStoreHealth,
  LinkCustomKeyStore,
  ReadUnusedClusters,
  UnusedClusters,
  UpdateCustomKeyStore,
} from './model.ts'
import { rotateCredential } from './rotate-credential.ts'
import { disableCredentialRotation as disable, enableCredentialRotation as enable } from './rotation-job.ts'
import { readUnusedClusters } from './unused-clusters.ts'
import { updateKeyStore } from './update-key-store.ts'
import type * as z from 'zod'

const on = operationsOn({
  path: CustomKeyStorePath,
  answers: CustomKeyStore,
  reads: 'keymgr-users',
  changes: 'keymgr-users',
})

/** POST …/{id}/<action>: begins what the cloud takes its time for, and answers the store (202). */
const storeMove = <B extends z.ZodType = z.ZodUndefined>(
  summary: string,
  act: (context: Context, id: string, body: z.output<B>) => Promise<Stored<CustomKeyStore>>,
  body?: B,
): Operation =>
  operation(
    {
      summary,
      path: CustomKeyStorePath,
      ...(body && { body }),
      answers: CustomKeyStore,
      status: 202,
      may: 'keymgr-users',
    },
    async ({ path, body: args, context }) => accepted((await act(context, path.id, args)).item),
  )

/** GET /v1/keymgr/cloud-a/custom-key-stores: those the caller may see, as they are on record. */
export const list = on.list('List Cloud-a Custom Key Stores', CustomKeyStoreQuery, listKeyStores)

/** POST /v1/keymgr/cloud-a/custom-key-stores: with the credential pair of a store of ours, shown this once. */
export const create = operation(
  {
    summary: 'Create Cloud-a Custom Key Store',
    body: CreateCustomKeyStore,
    answers: CustomKeyStoreWithSecret,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => createdStored(await createKeyStore(context, body)),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/get-unused-cloud-hsm-clusters: read from the cloud, nothing is stored. */
export const unusedClusters = lookUp(
  'Get Unused Cloud-a Clusters',
  'keymgr-users',
  ReadUnusedClusters,
  UnusedClusters,
  async (context, body) => ({ clusters: await readUnusedClusters(context, body) }),
)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}: while it connects or disconnects, as the cloud has it. */
export const get = on.get('Get Cloud-a Custom Key Store', getKeyStore)

/** PATCH /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store is changed in the cloud too. */
export const update = on.act('Update Cloud-a Custom Key Store', updateKeyStore, UpdateCustomKeyStore)

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store goes in the cloud too. */
export const remove = on.remove('Delete Cloud-a Custom Key Store', deleteKeyStore)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/link: the cloud makes a store that points here. */
export const link = on.act('Link Cloud-a Custom Key Store', linkKeyStore, LinkCustomKeyStore.prefault({}))

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/connect: begins what takes minutes; reading the store shows its end. */
export const connect = storeMove(
  'Connect Cloud-a Custom Key Store',
  connectKeyStore,
  ConnectCustomKeyStore.prefault({}),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect: begins what takes minutes; keys cannot be used meanwhile. */
export const disconnect = storeMove('Disconnect Cloud-a Custom Key Store', disconnectKeyStore)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/block: the cloud's calls are refused from now on. */
export const block = on.act('Block Cloud-a Custom Key Store', blockKeyStore)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/unblock: the cloud's calls are answered again. */
export const unblock = on.act('Unblock Cloud-a Custom Key Store', unblockKeyStore)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/health: what a signed health call would be answered. */
export const health = on.tell('Check Cloud-a Custom Key Store', KeyStoreHealth, readHealth)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}, without its secret. */
export const credential = operation(
  {
    summary: 'Get Cloud-a Custom Key Store Credential',
    path: KeyStoreCredentialPath,
    answers: KeyStoreCredential,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await getCredential(context, path.id, path.credential_id)),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/rotate-credential: with the new pair, shown this once. */
export const rotate = operation(
  {
    summary: 'Rotate Cloud-a Custom Key Store Credential',
    path: CustomKeyStorePath,
    answers: CustomKeyStoreWithSecret,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await rotateCredential(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/enable-credential-rotation-job: credentials are rotated by a job. */
export const enableCredentialRotation = on.act(
  'Enable Cloud-a Custom Key Store Credential Rotation Job',
  enable,
  EnableCredentialRotation,
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disable-credential-rotation-job: no job does so any more. */
export const disableCredentialRotation = on.act('Disable Cloud-a Custom Key Store Credential Rotation Job', disable)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials, without secrets. */
export const credentials = on.listWithin(
  'List Cloud-a Custom Key Store Credentials',
  KeyStoreCredentialQuery,
  KeyStoreCredential,
  listCredentials,
)

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}: it no longer opens the store. */
export const removeCredential = operation(
  {
    summary: 'Delete Cloud-a Custom Key Store Credential',
    path: KeyStoreCredentialPath,
    answers: Deleted,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    await deleteCredential(context, path.id, path.credential_id)
    return deleted()
  },
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/create-cloud-a-key: in the hardware modules behind the store. */
export const createKey = operation(
  {
    summary: 'Create Cloud-a Key in Custom Key Store',
    path: CustomKeyStorePath,
    body: CreateKeyInStore,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => createdStored(await createKeyInStore(context, path.id, body)),
)
