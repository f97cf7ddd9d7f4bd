import { Deleted, listOf } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import { type Operation, accepted, deleted, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import { blockKey, unblockKey } from '../hosted-keys/block-hosted-key.ts'
import { createHostedKey } from '../hosted-keys/create-hosted-key.ts'
import { linkKey } from '../hosted-keys/link-hosted-key.ts'
import { CreateHostedKey, LinkHostedKey } from '../hosted-keys/model.ts'
import { act } from './actions.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { listMaterial, materialRotationStatus } from './generations.ts'
import { getKey } from './get-key.ts'
import { importMaterial } from './import-material.ts'
import { listGenerations } from './key-chain.ts'
import { listKeys } from './list-keys.ts'
import {
  AddTags,
  AliasBody,
  CloudAKey,
  CloudAKeyPath,
  CloudAKeyQuery,
  CloudAKeyVersion,
  CreateCloudAKey,
  DeleteMaterial,
  EnableAutoRotation,
  EnableRotationJob,
  ImportMaterial,
  KeyChainQuery,
  KeyPolicyBody,
  KeyRotationStatus,
  MaterialGeneration,
  MaterialQuery,
  MaterialRotationStatus,
  PublicKeyPem,
  RemoveTags,
  ReplicateCloudAKey,
  RotateCloudAKey,
  RotateMaterial,
  ScheduleDeletion,
  UpdateDescription,
  UpdatePrimaryRegion,
  UploadCloudAKey,
} from './model.ts'
import { publicKeyOf } from './public-key.ts'
import { replicateKey } from './replicate-key.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateMaterial } from './rotate-material.ts'
import {
  disableRotationJob as disableRotationJobVerb,
  enableRotationJob as enableRotationJobVerb,
} from './rotation-job.ts'
import { rotationStatusOf } from './rotation-status.ts'
import { setKeyPolicy } from './set-policy.ts'
import { uploadKey } from './upload-key.ts'
import type * as z from 'zod'

/** POST /v1/keymgr/cloud-a/keys/{id}/<action>: does one thing to a key and answers it as it is then. */
export const keyAction = <B extends z.ZodType = z.ZodUndefined>(
  summary: string,
  act: (context: Context, id: string, body: z.output<B>) => Promise<Stored<CloudAKey>>,
  body?: B,
): Operation =>
  operation(
    { summary, path: CloudAKeyPath, ...(body && { body }), answers: CloudAKey, may: 'keymgr-users' },
    async ({ path, body: args, context }) => okStored(await act(context, path.id, args)),
  )

/** GET /v1/keymgr/cloud-a/keys: those the caller may see. */
export const list = operation(
  { summary: 'List Cloud-a Keys', query: CloudAKeyQuery, answers: listOf(CloudAKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)

/** POST /v1/keymgr/cloud-a/keys: the cloud makes the material, or waits for it to be imported. */
export const create = operation(
  { summary: 'Create Cloud-a Key', body: CreateCloudAKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await createKey(context, body)),
)

/** POST /v1/keymgr/cloud-a/upload-key: a cloud key with the material of a local one. */
export const upload = operation(
  { summary: 'Upload Cloud-a Key', body: UploadCloudAKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await uploadKey(context, body)),
)

/** POST /v1/keymgr/cloud-a/create-hyok-key: a key whose material stays here, behind a key store of ours. */
export const createHosted = operation(
  { summary: 'Create Hosted Cloud-a Key', body: CreateHostedKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await createHostedKey(context, body)),
)

/** GET /v1/keymgr/cloud-a/keys/{id}: as it is on record. */
export const get = operation(
  { summary: 'Get Cloud-a Key', path: CloudAKeyPath, answers: CloudAKey, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getKey(context, path.id)),
)

/** DELETE /v1/keymgr/cloud-a/keys/{id}: the record of a key that its cloud no longer has. */
export const remove = operation(
  { summary: 'Delete Cloud-a Key', path: CloudAKeyPath, answers: Deleted, may: 'keymgr-users' },
  async ({ path, context }) => {
    await deleteKey(context, path.id)
    return deleted()
  },
)

/** GET /v1/keymgr/cloud-a/keys/{id}/versions: what the key replaced, itself, and what replaced it. */
export const versions = operation(
  {
    summary: 'List Cloud-a Key Versions',
    path: CloudAKeyPath,
    query: KeyChainQuery,
    answers: listOf(CloudAKeyVersion),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listGenerations(context, path.id, query)),
)

/** GET /v1/keymgr/cloud-a/keys/{id}/download-public-key: PEM text. */
export const publicKey = operation(
  {
    summary: 'Download Cloud-a Public Key',
    path: CloudAKeyPath,
    answers: PublicKeyPem,
    media: 'text/plain',
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await publicKeyOf(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/refresh: the record as the cloud has the key now. */
export const refresh = keyAction('Refresh Cloud-a Key', (context, id) => act(context, 'refresh', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/rotate: answers the new key, whose `rotated_from` is the old one. */
export const rotate = operation(
  {
    summary: 'Rotate Cloud-a Key',
    path: CloudAKeyPath,
    body: RotateCloudAKey,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => createdStored(await rotateKey(context, path.id, body)),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/enable: a disabled key can be used again. */
export const enable = keyAction('Enable Cloud-a Key', (context, id) => act(context, 'enable', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/disable: nobody can use the key until it is enabled. */
export const disable = keyAction('Disable Cloud-a Key', (context, id) => act(context, 'disable', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/schedule-deletion: the cloud deletes the key after so many days. */
export const scheduleDeletion = keyAction(
  'Schedule Cloud-a Key Deletion',
  (context, id, body) => act(context, 'schedule-deletion', id, body),
  ScheduleDeletion,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/cancel-deletion: the key stays, disabled. */
export const cancelDeletion = keyAction('Cancel Cloud-a Key Deletion', (context, id) =>
  act(context, 'cancel-deletion', id, {}),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/add-tags: a tag that is there gets the new value. */
export const addTags = keyAction(
  'Add Cloud-a Key Tags',
  (context, id, body) => act(context, 'add-tags', id, body),
  AddTags,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/remove-tags: tags by their keys. */
export const removeTags = keyAction(
  'Remove Cloud-a Key Tags',
  (context, id, body) => act(context, 'remove-tags', id, body),
  RemoveTags,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/add-alias: one more name for the key, which no other key of the region has. */
export const addAlias = keyAction(
  'Add Cloud-a Key Alias',
  (context, id, body) => act(context, 'add-alias', id, body),
  AliasBody,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-alias: the name is free again. */
export const deleteAlias = keyAction(
  'Delete Cloud-a Key Alias',
  (context, id, body) => act(context, 'delete-alias', id, body),
  AliasBody,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/update-description: the description at the cloud. */
export const updateDescription = keyAction(
  'Update Cloud-a Key Description',
  (context, id, body) => act(context, 'update-description', id, body),
  UpdateDescription,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/policy: a text, a template, lists, or with none of them the default policy. */
export const policy = keyAction('Set Cloud-a Key Policy', setKeyPolicy, KeyPolicyBody)

/** POST /v1/keymgr/cloud-a/keys/{id}/enable-rotation-job: the key is rotated by a job configuration from now on. */
export const enableRotationJob = keyAction('Enable Cloud-a Key Rotation Job', enableRotationJobVerb, EnableRotationJob)

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-rotation-job: no job rotates the key any more. */
export const disableRotationJob = keyAction('Disable Cloud-a Key Rotation Job', disableRotationJobVerb)

/** POST /v1/keymgr/cloud-a/keys/{id}/block: a hosted key does nothing for the cloud any more, everywhere within 5 seconds. */
export const block = keyAction('Block Hosted Cloud-a Key', blockKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/unblock: a blocked hosted key works again. */
export const unblock = keyAction('Unblock Hosted Cloud-a Key', unblockKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/link: the cloud gets a key of its own in front of a hosted one; there is no way back. */
export const link = keyAction('Link Hosted Cloud-a Key', linkKey, LinkHostedKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/import-material: a local key's material goes into the key. */
export const importLocal = keyAction('Import Cloud-a Key Material', importMaterial, ImportMaterial)

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-material: imported material goes; the key waits for it to be imported again. */
export const deleteMaterial = keyAction(
  'Delete Cloud-a Key Material',
  (context, id, body) => act(context, 'delete-material', id, body),
  DeleteMaterial,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/rotate-material: begins a rotation inside the key, which the cloud ends. */
export const rotateInside = operation(
  {
    summary: 'Rotate Cloud-a Key Material',
    path: CloudAKeyPath,
    body: RotateMaterial,
    answers: CloudAKey,
    status: 202,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item } = await rotateMaterial(context, path.id, body)
    return accepted(item)
  },
)

/** GET /v1/keymgr/cloud-a/keys/{id}/rotate-material/status: of the last rotation inside the key. */
export const insideRotationStatus = operation(
  {
    summary: 'Get Cloud-a Key Material Rotation Status',
    path: CloudAKeyPath,
    answers: MaterialRotationStatus,
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await materialRotationStatus(context, path.id)),
)

/** GET /v1/keymgr/cloud-a/keys/{id}/rotations: every generation of the key's material, as the cloud lists them now. */
export const rotations = operation(
  {
    summary: 'List Cloud-a Key Rotations',
    path: CloudAKeyPath,
    query: MaterialQuery,
    answers: listOf(MaterialGeneration),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listMaterial(context, path.id, query)),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/replicate-key: answers the copy, which the cloud may still be making. */
export const replicate = operation(
  {
    summary: 'Replicate Cloud-a Key',
    path: CloudAKeyPath,
    body: ReplicateCloudAKey,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => createdStored(await replicateKey(context, path.id, body)),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/get-key-rotation-status: of the cloud's own rotation, as the cloud says now. */
export const rotationStatus = operation(
  {
    summary: 'Get Cloud-a Key Rotation Status',
    path: CloudAKeyPath,
    answers: KeyRotationStatus,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ path, context }) => ok(await rotationStatusOf(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/enable-auto-rotation: the cloud's own rotation. */
export const enableAutoRotation = keyAction(
  'Enable Cloud-a Key Auto Rotation',
  (context, id, body) => act(context, 'enable-auto-rotation', id, body),
  EnableAutoRotation,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-auto-rotation: the cloud's own rotation ends. */
export const disableAutoRotation = keyAction('Disable Cloud-a Key Auto Rotation', (context, id) =>
  act(context, 'disable-auto-rotation', id, {}),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/update-primary-region: a replica takes over from its primary. */
export const updatePrimaryRegion = keyAction(
  'Update Cloud-a Key Primary Region',
  (context, id, body) => act(context, 'update-primary-region', id, body),
  UpdatePrimaryRegion,
)
