import { KeyPassport } from '../../audit/passport/model.ts'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { getKey } from '../../cloud/keys/find-key.ts'
import { NewVersion } from '../../cloud/keys/model.ts'
import { versionedKeyPassport } from '../../cloud/keys/passport.ts'
import { versionRoutes } from '../../cloud/keys/versions/version-routes.ts'
import { ending } from '../../http/danger.ts'
import type { BegunWork } from '../../http/begun-work.ts'
import { beginning, created, operation, route, type Route } from '../../http/operation.ts'
import { lookUp, routesOn } from '../../resource/routes.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { CLOUD_D_ACTIONS } from './actions.ts'
import { addCompartments, compartments } from './compartments/compartments.ts'
import { CreateExternalKey, CreateExternalVault } from './external/bodies.ts'
import { blockKey, unblockKey, unlinkKey } from './external/change-key.ts'
import { blockVault, unblockVault, unlinkVault } from './external/change-vault.ts'
import { createExternalKey } from './external/create-key.ts'
import { createExternalVault } from './external/create-vault.ts'
import { issuers } from './issuers/issuers.ts'
import { doing, updateKey } from './keys/act-on-key.ts'
import { disableAutoRotation, enableAutoRotation } from './keys/auto-rotation.ts'
import { createKey, uploadKey } from './keys/create-key.ts'
import { keyKind } from './keys/kind.ts'
import { listKeys } from './keys/list-keys.ts'
import * as bodies from './keys/model.ts'
import { removeKeyRecord } from './keys/remove-key.ts'
import { findBuckets, findCompartments, findDefinedTags, findRegions, findVaults } from './look-ups/look-ups.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { addTenancy, tenancies } from './tenancies/tenancies.ts'
import { vaultKind } from './vaults/kind.ts'
import * as vaults from './vaults/model.ts'
import { addVaults, removeVault, updateVault } from './vaults/vaults.ts'
import { VERSION_ACTIONS } from './versions/act-on-version.ts'
import { getCloudDVersion } from './versions/get-version.ts'
import { CloudDVersion, CloudDVersionQuery } from './versions/model.ts'
import { addVersion } from './versions/new-version.ts'

const BASE = '/v1/keymgr/cloud-d'
const ADMINS = 'keymgr-admins'

const { FindRegions, FoundRegions, FindCompartments, FoundCompartments, FindVaults, FoundVaults } = vaults
const { FindDefinedTags, FoundDefinedTags, FindBuckets, FoundBuckets } = vaults
/** Resources that a connection reaches, read from the cloud now. */
const lookUps: readonly Route[] = [
  lookUp(`${BASE}/get-subscribed-regions`, 'Get Cloud-d Regions', ADMINS, FindRegions, FoundRegions, findRegions),
  lookUp(
    `${BASE}/get-compartments`,
    'Get Cloud-d Compartments',
    ADMINS,
    FindCompartments,
    FoundCompartments,
    findCompartments,
  ),
  lookUp(`${BASE}/get-vaults`, 'Get Cloud-d Vaults', ADMINS, FindVaults, FoundVaults, findVaults),
  lookUp(
    `${BASE}/get-defined-tags`,
    'Get Cloud-d Defined Tags',
    ADMINS,
    FindDefinedTags,
    FoundDefinedTags,
    findDefinedTags,
  ),
  lookUp(`${BASE}/storage/list-buckets`, 'List Cloud-d Buckets', ADMINS, FindBuckets, FoundBuckets, findBuckets),
]

const { AddCompartments, AddedCompartments, AddVaults, AddedVaults } = vaults
const places: readonly Route[] = [
  tenancies.on.create('Add Cloud-d Tenancy', vaults.AddTenancy, addTenancy, `${BASE}/add-tenancy`),
  ...tenancies.routes,
  route(
    'POST',
    `${BASE}/add-compartments`,
    operation(
      {
        summary: 'Add Cloud-d Compartments',
        body: AddCompartments,
        answers: AddedCompartments,
        status: 201,
        may: ADMINS,
      },
      async ({ body, context }) => created({ compartments: await addCompartments(context, body) }),
    ),
  ),
  ...compartments.routes,
]

const onVaults = containerRoutes(vaultKind, {
  at: `${BASE}/vaults`,
  noun: 'Cloud-d Vault',
  answers: vaults.CloudDVault,
  query: vaults.VaultQuery,
  actions: CLOUD_D_ACTIONS,
})
const containers: readonly Route[] = [
  route(
    'POST',
    `${BASE}/add-vaults`,
    operation(
      { summary: 'Add Cloud-d Vaults', body: AddVaults, answers: AddedVaults, status: 201, may: ADMINS },
      async ({ body, context }) => created({ vaults: await addVaults(context, body) }),
    ),
  ),
  ...onVaults.usual,
  onVaults.create(
    'Create External Cloud-d Vault',
    CreateExternalVault,
    createExternalVault,
    `${BASE}/create-external-vault`,
  ),
  onVaults.act('block', 'Block Cloud-d Vault', blockVault), // within five seconds every instance refuses
  onVaults.act('unblock', 'Unblock Cloud-d Vault', unblockVault),
  onVaults.act('unlink', 'Unlink Cloud-d Vault', unlinkVault),
  onVaults.update('Update Cloud-d Vault', vaults.UpdateVault, updateVault),
  ending(
    'The records of the vault and its keys are removed; the cloud keeps the keys.',
    onVaults.remove('Delete Cloud-d Vault', removeVault),
  ),
]

const AT_KEYS = `${BASE}/keys`
const onKeys = routesOn({ at: AT_KEYS, answers: bodies.CloudDKey, reads: 'keymgr-users', changes: 'keymgr-users' })
/** The answer may arrive before the cloud has created the key. */
const CREATION: BegunWork = {
  read: `${AT_KEYS}/{id}`,
  status: 'cloud_d_params.lifecycle_state',
  pending: ['CREATING'],
  failed: ['DELETED'],
}
const keys: readonly Route[] = [
  onKeys.list('List Cloud-d Keys', bodies.CloudDKeyQuery, listKeys),
  beginning(CREATION, onKeys.create('Create Cloud-d Key', bodies.CreateCloudDKey, createKey)),
  beginning(CREATION, onKeys.create('Upload Cloud-d Key', bodies.UploadCloudDKey, uploadKey, `${BASE}/upload-key`)),
  onKeys.get('Get Cloud-d Key', (context, id) => getKey(keyKind, context, id)),
  onKeys.tell('GET', 'passport', 'Get Cloud-d Key Passport', KeyPassport, versionedKeyPassport(keyKind)),
  onKeys.create('Create External Cloud-d Key', CreateExternalKey, createExternalKey, `${BASE}/create-external-key`),
  onKeys.update('Update Cloud-d Key', bodies.UpdateCloudDKey, updateKey),
  ending(
    'Only the record here is removed; without a backup nothing of the key is left.',
    onKeys.remove('Delete Cloud-d Key', removeKeyRecord),
  ), // only the record, if the cloud has no such key
  onKeys.act('enable', 'Enable Cloud-d Key', doing('enable')),
  onKeys.act('disable', 'Disable Cloud-d Key', doing('disable')),
  onKeys.act('block', 'Block Cloud-d Key', blockKey),
  onKeys.act('unblock', 'Unblock Cloud-d Key', unblockKey),
  onKeys.act('unlink', 'Unlink Cloud-d Key', unlinkKey),
  onKeys.act('schedule-deletion', 'Schedule Cloud-d Key Deletion', doing('schedule-deletion'), bodies.ScheduleDeletion),
  onKeys.act('cancel-deletion', 'Cancel Cloud-d Key Deletion', doing('cancel-deletion')),
  onKeys.act(
    'change-compartment',
    'Change Cloud-d Key Compartment',
    doing('change-compartment'),
    bodies.ChangeCompartment,
  ),
  onKeys.act('restore', 'Restore Cloud-d Key', doing('restore')), // from its vault's bucket
  onKeys.act('delete-backup', 'Delete Cloud-d Key Backup', doing('delete-backup')),
  onKeys.act('refresh', 'Refresh Cloud-d Key', doing('refresh')), // including its versions
  onKeys.act(
    'enable-auto-rotation',
    'Enable Cloud-d Key Rotation Job',
    enableAutoRotation,
    bodies.EnableCloudDAutoRotation,
  ),
  onKeys.act('disable-auto-rotation', 'Disable Cloud-d Key Rotation Job', disableAutoRotation),
]

const onVersions = versionRoutes(keyKind, {
  at: AT_KEYS,
  noun: 'Cloud-d Key Version',
  answers: CloudDVersion,
  query: CloudDVersionQuery,
  actions: VERSION_ACTIONS,
  get: getCloudDVersion,
})
const versions: readonly Route[] = [
  ...onVersions.usual,
  onVersions.onKey.succeed('versions', 'Create Cloud-d Key Version', NewVersion, addVersion, CloudDVersion),
]

/** The keys of cloud-d, and where they live there. */
export const routes: readonly Route[] = [
  ...lookUps,
  ...places,
  ...containers,
  ...keys,
  ...versions,
  ...issuers.routes,
  ...unfinishedWorkRoutes(NAME),
  ...synchronizationRoutes(`${BASE}/synchronization-jobs`, {
    source: { cloud_name: NAME },
    containerList: CONTAINER_LIST,
    noun: 'Synchronization',
  }),
]
