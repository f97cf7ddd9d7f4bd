import { Deleted, listOf } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import { type Operation, accepted, deleted, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import { CloudAKey, CreateKeyInStore } from '../keys/model.ts'
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

type Act<B extends z.ZodType> = (context: Context, id: string, body: z.output<B>) => Promise<Stored<CustomKeyStore>>

const declared = <B extends z.ZodType>(summary: string, body: B | undefined) => ({
  summary,
  path: CustomKeyStorePath,
  ...(body && { body }),
  answers: CustomKeyStore,
  may: 'keymgr-users' as const,
})

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/<action>: does one thing to a store and answers it as it is then. */
export const storeAction = <B extends z.ZodType = z.ZodUndefined>(summary: string, act: Act<B>, body?: B): Operation =>
  operation(declared(summary, body), async ({ path, body: args, context }) =>
    okStored(await act(context, path.id, args)),
  )

/** The same for what the cloud takes its time for: the store is on the way. */
export const storeMove = <B extends z.ZodType = z.ZodUndefined>(summary: string, act: Act<B>, body?: B): Operation =>
  operation({ ...declared(summary, body), status: 202 }, async ({ path, body: args, context }) =>
    accepted((await act(context, path.id, args)).item),
  )

/** GET /v1/keymgr/cloud-a/custom-key-stores: those the caller may see, as they are on record. */
export const list = operation(
  {
    summary: 'List Cloud-a Custom Key Stores',
    query: CustomKeyStoreQuery,
    answers: listOf(CustomKeyStore),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listKeyStores(context, query)),
)

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
export const unusedClusters = operation(
  {
    summary: 'Get Unused Cloud-a Clusters',
    body: ReadUnusedClusters,
    answers: UnusedClusters,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok({ clusters: await readUnusedClusters(context, body) }),
)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}: while it connects or disconnects, as the cloud has it. */
export const get = operation(
  { summary: 'Get Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: CustomKeyStore, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getKeyStore(context, path.id)),
)

/** PATCH /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store is changed in the cloud too. */
export const update = operation(
  {
    summary: 'Update Cloud-a Custom Key Store',
    path: CustomKeyStorePath,
    body: UpdateCustomKeyStore,
    answers: CustomKeyStore,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => okStored(await updateKeyStore(context, path.id, body)),
)

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store goes in the cloud too. */
export const remove = operation(
  { summary: 'Delete Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: Deleted, may: 'keymgr-users' },
  async ({ path, context }) => {
    await deleteKeyStore(context, path.id)
    return deleted()
  },
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/link: the cloud makes a store that points here. */
export const link = storeAction('Link Cloud-a Custom Key Store', linkKeyStore, LinkCustomKeyStore.prefault({}))

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/connect: begins what takes minutes; reading the store shows its end. */
export const connect = storeMove(
  'Connect Cloud-a Custom Key Store',
  connectKeyStore,
  ConnectCustomKeyStore.prefault({}),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect: begins what takes minutes; keys cannot be used meanwhile. */
export const disconnect = storeMove('Disconnect Cloud-a Custom Key Store', disconnectKeyStore)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/block: the cloud's calls are refused from now on. */
export const block = storeAction('Block Cloud-a Custom Key Store', blockKeyStore)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/unblock: the cloud's calls are answered again. */
export const unblock = storeAction('Unblock Cloud-a Custom Key Store', unblockKeyStore)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/health: what a signed health call would be answered. */
export const health = operation(
  { summary: 'Check Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: KeyStoreHealth, may: 'keymgr-users' },
  async ({ path, context }) => ok(await readHealth(context, path.id)),
)

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
export const enableCredentialRotation = storeAction(
  'Enable Cloud-a Custom Key Store Credential Rotation Job',
  enable,
  EnableCredentialRotation,
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disable-credential-rotation-job: no job does so any more. */
export const disableCredentialRotation = storeAction(
  'Disable Cloud-a Custom Key Store Credential Rotation Job',
  disable,
)

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials, without secrets. */
export const credentials = operation(
  {
    summary: 'List Cloud-a Custom Key Store Credentials',
    path: CustomKeyStorePath,
    query: KeyStoreCredentialQuery,
    answers: listOf(KeyStoreCredential),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listCredentials(context, path.id, query)),
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
