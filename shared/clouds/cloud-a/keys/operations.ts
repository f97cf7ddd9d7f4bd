import { KeyPassport } from '../../../audit/passport/model.ts'
import { PublicKeyPem } from '../../../cloud/keys/model.ts'
import { getKey } from '../../../cloud/keys/find-key.ts'
import { cloudKeyPassport } from '../../../cloud/keys/passport.ts'
import { routesOn } from '../../../resource/routes.ts'
import { ending } from '../../../http/danger.ts'
import type { Route } from '../../../http/operation.ts'
import { beginning } from '../../../http/operation.ts'
import { blockKey, unblockKey } from '../hosted-keys/block-hosted-key.ts'
import { createHostedKey } from '../hosted-keys/create-hosted-key.ts'
import { linkKey } from '../hosted-keys/link-hosted-key.ts'
import { CreateHostedKey, LinkHostedKey } from '../hosted-keys/model.ts'
import { doing } from './actions.ts'
import * as bodies from './bodies.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { listMaterial, materialRotationStatus } from './generations.ts'
import { importMaterial } from './import-material.ts'
import { listGenerations } from './key-chain.ts'
import { keyKind } from './kind.ts'
import { listKeys } from './list-keys.ts'
import * as material from './material-model.ts'
import { CloudAKey, CloudAKeyQuery, CloudAKeyVersion, KeyChainQuery, KeyRotationStatus } from './model.ts'
import { publicKeyOf } from './public-key.ts'
import { replicateKey } from './replicate-key.ts'
import { rotateKey } from './rotate-key.ts'
import { rotateMaterial } from './rotate-material.ts'
import { disableRotationJob, enableRotationJob } from './rotation-job.ts'
import { rotationStatusOf } from './rotation-status.ts'
import { setKeyPolicy } from './set-policy.ts'
import { uploadKey } from './upload-key.ts'

const BASE = '/v1/keymgr/cloud-a'
const on = routesOn({ at: `${BASE}/keys`, answers: CloudAKey, reads: 'keymgr-users', changes: 'keymgr-users' })

const records: readonly Route[] = [
  on.list('List Cloud-a Keys', CloudAKeyQuery, listKeys),
  // The cloud generates the material, or the key waits for an import.
  on.create('Create Cloud-a Key', bodies.CreateCloudAKey, createKey),
  on.create('Upload Cloud-a Key', bodies.UploadCloudAKey, uploadKey, `${BASE}/upload-key`),
  // The material stays here, in a key store of keymgr.
  on.create('Create Hosted Cloud-a Key', CreateHostedKey, createHostedKey, `${BASE}/create-hyok-key`),
  on.get('Get Cloud-a Key', (context, id) => getKey(keyKind, context, id)),
  on.tell('GET', 'passport', 'Get Cloud-a Key Passport', KeyPassport, cloudKeyPassport(keyKind)),
  ending('The record of a key that its cloud no longer has is removed.', on.remove('Delete Cloud-a Key', deleteKey)), // the record of a key that its cloud no longer has
  // Predecessors of the key, the key, and its successors.
  on.listWithin('versions', 'List Cloud-a Key Versions', KeyChainQuery, CloudAKeyVersion, listGenerations),
  on.tell('GET', 'download-public-key', 'Download Cloud-a Public Key', PublicKeyPem, publicKeyOf, {
    media: 'text/plain',
  }),
  on.act('refresh', 'Refresh Cloud-a Key', doing('refresh')),
]

const changes: readonly Route[] = [
  on.act('enable', 'Enable Cloud-a Key', doing('enable')),
  on.act('disable', 'Disable Cloud-a Key', doing('disable')),
  on.act('schedule-deletion', 'Schedule Cloud-a Key Deletion', doing('schedule-deletion'), bodies.ScheduleDeletion),
  on.act('cancel-deletion', 'Cancel Cloud-a Key Deletion', doing('cancel-deletion')), // the key remains disabled
  on.act('add-tags', 'Add Cloud-a Key Tags', doing('add-tags'), bodies.AddTags), // an existing tag gets the new value
  on.act('remove-tags', 'Remove Cloud-a Key Tags', doing('remove-tags'), bodies.RemoveTags),
  on.act('add-alias', 'Add Cloud-a Key Alias', doing('add-alias'), bodies.AliasBody),
  on.act('delete-alias', 'Delete Cloud-a Key Alias', doing('delete-alias'), bodies.AliasBody),
  on.act('update-description', 'Update Cloud-a Key Description', doing('update-description'), bodies.UpdateDescription),
  // A text, a template, lists, or with none of these the default policy.
  on.act('policy', 'Set Cloud-a Key Policy', setKeyPolicy, bodies.KeyPolicyBody),
  // Answers the replica, which the cloud may still be creating.
  on.succeed('replicate-key', 'Replicate Cloud-a Key', bodies.ReplicateCloudAKey, replicateKey),
  on.act(
    'update-primary-region', // a replica becomes the primary
    'Update Cloud-a Key Primary Region',
    doing('update-primary-region'),
    bodies.UpdatePrimaryRegion,
  ),
]

const hosted: readonly Route[] = [
  // A blocked key refuses every call of the cloud, within 5 seconds everywhere.
  on.act('block', 'Block Hosted Cloud-a Key', blockKey),
  on.act('unblock', 'Unblock Hosted Cloud-a Key', unblockKey),
  // The cloud creates a key of its own in front of the hosted one; this cannot be undone.
  on.act('link', 'Link Hosted Cloud-a Key', linkKey, LinkHostedKey),
]

const rotation: readonly Route[] = [
  // Answers the new key, whose `rotated_from` is the old one.
  on.succeed('rotate', 'Rotate Cloud-a Key', bodies.RotateCloudAKey, rotateKey),
  on.act('enable-rotation-job', 'Enable Cloud-a Key Rotation Job', enableRotationJob, bodies.EnableRotationJob),
  on.act('disable-rotation-job', 'Disable Cloud-a Key Rotation Job', disableRotationJob),
  on.act('import-material', 'Import Cloud-a Key Material', importMaterial, material.ImportMaterial),
  // The key's imported material is deleted and can be imported again.
  on.act('delete-material', 'Delete Cloud-a Key Material', doing('delete-material'), material.DeleteMaterial),
  // Inside the key; the cloud completes it.
  beginning(
    {
      read: `${BASE}/keys/{id}/rotate-material/status`,
      status: 'overall_status',
      pending: ['in_progress'],
      failed: ['failed'],
      reasons: ['error_details'],
    },
    on.begin('rotate-material', 'Rotate Cloud-a Key Material', rotateMaterial, material.RotateMaterial),
  ),
  on.tell(
    'GET',
    'rotate-material/status',
    'Get Cloud-a Key Material Rotation Status',
    material.MaterialRotationStatus,
    materialRotationStatus,
  ),
  // Every generation of the material, read from the cloud now.
  on.listWithin(
    'rotations',
    'List Cloud-a Key Rotations',
    material.MaterialQuery,
    material.MaterialGeneration,
    listMaterial,
  ),
]

/** Rotation by the cloud itself. */
const autoRotation: readonly Route[] = [
  on.tell('POST', 'get-key-rotation-status', 'Get Cloud-a Key Rotation Status', KeyRotationStatus, rotationStatusOf, {
    reads: true,
  }),
  on.act(
    'enable-auto-rotation',
    'Enable Cloud-a Key Auto Rotation',
    doing('enable-auto-rotation'),
    bodies.EnableAutoRotation,
  ),
  on.act('disable-auto-rotation', 'Disable Cloud-a Key Auto Rotation', doing('disable-auto-rotation')),
]

export const keyRoutes: readonly Route[] = [...records, ...changes, ...hosted, ...rotation, ...autoRotation]
