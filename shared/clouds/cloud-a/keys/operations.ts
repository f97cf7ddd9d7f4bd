import { accepted, ok, operation } from '../../../http/operation.ts'
import { blockKey, unblockKey } from '../hosted-keys/block-hosted-key.ts'
import { createHostedKey } from '../hosted-keys/create-hosted-key.ts'
import { linkKey } from '../hosted-keys/link-hosted-key.ts'
import { CreateHostedKey, LinkHostedKey } from '../hosted-keys/model.ts'
import { act } from './actions.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { listMaterial, materialRotationStatus } from './generations.ts'
import { getKey } from '../../../cloud/keys/find-key.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import { keyKind } from './key-kind.ts'
import { importMaterial } from './import-material.ts'
import { listGenerations } from './key-chain.ts'
import { listKeys } from './list-keys.ts'
import {
  AddTags,
  AliasBody,
  CreateCloudAKey,
  EnableAutoRotation,
  EnableRotationJob,
  KeyPolicyBody,
  RemoveTags,
  ReplicateCloudAKey,
  RotateCloudAKey,
  ScheduleDeletion,
  UpdateDescription,
  UpdatePrimaryRegion,
  UploadCloudAKey,
} from './bodies.ts'
import {
  DeleteMaterial,
  ImportMaterial,
  MaterialGeneration,
  MaterialQuery,
  MaterialRotationStatus,
  RotateMaterial,
} from './material-model.ts'
import {
  CloudAKey,
  CloudAKeyPath,
  CloudAKeyQuery,
  CloudAKeyVersion,
  KeyChainQuery,
  KeyRotationStatus,
  PublicKeyPem,
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

const on = operationsOn({ path: CloudAKeyPath, answers: CloudAKey, reads: 'keymgr-users', changes: 'keymgr-users' })

/** GET /v1/keymgr/cloud-a/keys: those the caller may see. */
export const list = on.list('List Cloud-a Keys', CloudAKeyQuery, listKeys)

/** POST /v1/keymgr/cloud-a/keys: the cloud makes the material, or waits for it to be imported. */
export const create = on.create('Create Cloud-a Key', CreateCloudAKey, createKey)

/** POST /v1/keymgr/cloud-a/upload-key: a cloud key with the material of a local one. */
export const upload = on.create('Upload Cloud-a Key', UploadCloudAKey, uploadKey)

/** POST /v1/keymgr/cloud-a/create-hyok-key: a key whose material stays here, behind a key store of ours. */
export const createHosted = on.create('Create Hosted Cloud-a Key', CreateHostedKey, createHostedKey)

/** GET /v1/keymgr/cloud-a/keys/{id}: as it is on record. */
export const get = on.get('Get Cloud-a Key', (context, id) => getKey(keyKind, context, id))

/** DELETE /v1/keymgr/cloud-a/keys/{id}: the record of a key that its cloud no longer has. */
export const remove = on.remove('Delete Cloud-a Key', deleteKey)

/** GET /v1/keymgr/cloud-a/keys/{id}/versions: what the key replaced, itself, and what replaced it. */
export const versions = on.listWithin('List Cloud-a Key Versions', KeyChainQuery, CloudAKeyVersion, listGenerations)

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
export const refresh = on.act('Refresh Cloud-a Key', (context, id) => act(context, 'refresh', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/rotate: answers the new key, whose `rotated_from` is the old one. */
export const rotate = on.succeed('Rotate Cloud-a Key', RotateCloudAKey, rotateKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/enable: a disabled key can be used again. */
export const enable = on.act('Enable Cloud-a Key', (context, id) => act(context, 'enable', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/disable: the key cannot be used until it is enabled. */
export const disable = on.act('Disable Cloud-a Key', (context, id) => act(context, 'disable', id, {}))

/** POST /v1/keymgr/cloud-a/keys/{id}/schedule-deletion: the cloud deletes the key after so many days. */
export const scheduleDeletion = on.act(
  'Schedule Cloud-a Key Deletion',
  (context, id, body) => act(context, 'schedule-deletion', id, body),
  ScheduleDeletion,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/cancel-deletion: the key stays, disabled. */
export const cancelDeletion = on.act('Cancel Cloud-a Key Deletion', (context, id) =>
  act(context, 'cancel-deletion', id, {}),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/add-tags: a tag that is there gets the new value. */
export const addTags = on.act(
  'Add Cloud-a Key Tags',
  (context, id, body) => act(context, 'add-tags', id, body),
  AddTags,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/remove-tags: tags by their keys. */
export const removeTags = on.act(
  'Remove Cloud-a Key Tags',
  (context, id, body) => act(context, 'remove-tags', id, body),
  RemoveTags,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/add-alias: one more name for the key, which no other key of the region has. */
export const addAlias = on.act(
  'Add Cloud-a Key Alias',
  (context, id, body) => act(context, 'add-alias', id, body),
  AliasBody,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-alias: the name is free again. */
export const deleteAlias = on.act(
  'Delete Cloud-a Key Alias',
  (context, id, body) => act(context, 'delete-alias', id, body),
  AliasBody,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/update-description: the description at the cloud. */
export const updateDescription = on.act(
  'Update Cloud-a Key Description',
  (context, id, body) => act(context, 'update-description', id, body),
  UpdateDescription,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/policy: a text, a template, lists, or with none of them the default policy. */
export const policy = on.act('Set Cloud-a Key Policy', setKeyPolicy, KeyPolicyBody)

/** POST /v1/keymgr/cloud-a/keys/{id}/enable-rotation-job: the key is rotated by a job configuration from now on. */
export const enableRotationJob = on.act('Enable Cloud-a Key Rotation Job', enableRotationJobVerb, EnableRotationJob)

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-rotation-job: no job rotates the key any more. */
export const disableRotationJob = on.act('Disable Cloud-a Key Rotation Job', disableRotationJobVerb)

/** POST /v1/keymgr/cloud-a/keys/{id}/block: a hosted key does nothing for the cloud any more, everywhere within 5 seconds. */
export const block = on.act('Block Hosted Cloud-a Key', blockKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/unblock: a blocked hosted key works again. */
export const unblock = on.act('Unblock Hosted Cloud-a Key', unblockKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/link: the cloud gets a key of its own in front of a hosted one; there is no way back. */
export const link = on.act('Link Hosted Cloud-a Key', linkKey, LinkHostedKey)

/** POST /v1/keymgr/cloud-a/keys/{id}/import-material: a local key's material goes into the key. */
export const importLocal = on.act('Import Cloud-a Key Material', importMaterial, ImportMaterial)

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-material: imported material goes; the key waits for it to be imported again. */
export const deleteMaterial = on.act(
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
export const insideRotationStatus = on.tell(
  'Get Cloud-a Key Material Rotation Status',
  MaterialRotationStatus,
  materialRotationStatus,
)

/** GET /v1/keymgr/cloud-a/keys/{id}/rotations: every generation of the key's material, as the cloud lists them now. */
export const rotations = on.listWithin('List Cloud-a Key Rotations', MaterialQuery, MaterialGeneration, listMaterial)

/** POST /v1/keymgr/cloud-a/keys/{id}/replicate-key: answers the copy, which the cloud may still be making. */
export const replicate = on.succeed('Replicate Cloud-a Key', ReplicateCloudAKey, replicateKey)

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
export const enableAutoRotation = on.act(
  'Enable Cloud-a Key Auto Rotation',
  (context, id, body) => act(context, 'enable-auto-rotation', id, body),
  EnableAutoRotation,
)

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-auto-rotation: the cloud's own rotation ends. */
export const disableAutoRotation = on.act('Disable Cloud-a Key Auto Rotation', (context, id) =>
  act(context, 'disable-auto-rotation', id, {}),
)

/** POST /v1/keymgr/cloud-a/keys/{id}/update-primary-region: a replica takes over from its primary. */
export const updatePrimaryRegion = on.act(
  'Update Cloud-a Key Primary Region',
  (context, id, body) => act(context, 'update-primary-region', id, body),
  UpdatePrimaryRegion,
)
