import * as z from 'zod'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { created, ok, operation, route, type Route } from '../../http/operation.ts'
import { lookUp } from '../../resource/routes.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { CLOUD_B_ACTIONS } from './actions.ts'
import { backupRoutes } from './backups/operations.ts'
import { certificateRoutes } from './certificates/operations.ts'
import { keyRoutes } from './keys/operations.ts'
import { findManagedHsms, findVaults } from './look-ups/look-ups.ts'
import { secretRoutes } from './secrets/operations.ts'
import { findSubscriptions, subscriptions } from './subscriptions/subscriptions.ts'
import { addVaults } from './vaults/add-vaults.ts'
import * as containers from './vaults/model.ts'
import { disableVaultRotationJob, enableVaultRotationJob } from './vaults/rotation-job.ts'
import { vaultKind } from './vaults/kind.ts'
import { removeVault, updateVault } from './vaults/vaults.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

const BASE = '/v1/keymgr/cloud-b'

const { FindSubscriptions, FoundSubscriptions } = containers
const subscriptionRoutes: readonly Route[] = [
  route(
    'POST',
    `${BASE}/get-subscriptions`,
    operation(
      {
        summary: 'Get Cloud-b Subscriptions', // also stores them
        body: FindSubscriptions,
        answers: FoundSubscriptions,
        may: 'keymgr-admins',
      },
      async ({ body, context }) => ok(await findSubscriptions(context, body)),
    ),
  ),
  ...subscriptions.routes,
]

const { AddVaults, AddedVaults, FindVaults, FoundVaults } = containers
const onVaults = containerRoutes(vaultKind, {
  at: `${BASE}/vaults`,
  noun: 'Cloud-b Vault',
  answers: containers.CloudBVault,
  query: containers.VaultQuery,
  actions: CLOUD_B_ACTIONS,
})
const vaults: readonly Route[] = [
  lookUp(`${BASE}/get-vaults`, 'Get Cloud-b Vaults', 'keymgr-admins', FindVaults, FoundVaults, findVaults),
  lookUp(
    `${BASE}/get-managed-hsms`,
    'Get Cloud-b Managed HSMs',
    'keymgr-admins',
    FindVaults,
    FoundVaults,
    findManagedHsms,
  ),
  route(
    'POST',
    `${BASE}/add-vaults`,
    operation(
      { summary: 'Add Cloud-b Vaults', body: AddVaults, answers: AddedVaults, status: 201, may: 'keymgr-admins' },
      async ({ body, context }) => created(await addVaults(context, body)),
    ),
  ),
  ...onVaults.usual,
  onVaults.update('Update Cloud-b Vault', containers.UpdateVault, updateVault),
  onVaults.remove('Remove Cloud-b Vault', removeVault, { tail: 'remove-vault' }),
  onVaults.act(
    'enable-rotation-job',
    'Enable Cloud-b Vault Rotation Job', // for every key of the vault
    enableVaultRotationJob,
    containers.EnableVaultRotationJob,
  ),
  onVaults.act('disable-rotation-job', 'Disable Cloud-b Vault Rotation Job', disableVaultRotationJob),
]

const TakesBackups = z
  .boolean()
  .meta({ description: 'whether the job takes backups of keys whose latest version has none' })
const BACKUPS = {
  given: { take_cloud_key_backup: TakesBackups.optional() },
  shown: { take_cloud_key_backup: TakesBackups.optional() },
}

/** Routes of synchronizations of keys, or of other items in vaults. */
const synchronizations = (noun: string, of?: string): readonly Route[] =>
  synchronizationRoutes([BASE, ...(of === undefined ? [] : [of]), 'synchronization-jobs'].join('/'), {
    source: { cloud_name: NAME, of },
    containerList: CONTAINER_LIST,
    noun,
    ...(of === undefined && { narrowing: BACKUPS }),
  })

/** The keys, secrets and certificates of cloud-b and their containers. */
export const routes: readonly Route[] = [
  ...subscriptionRoutes,
  ...vaults,
  ...keyRoutes,
  ...unfinishedWorkRoutes(NAME),
  ...synchronizations('Synchronization'),
  // Must precede `{id}`: the router would read these names as the id of a secret or certificate.
  ...synchronizations('Secret Synchronization', 'secrets'),
  ...synchronizations('Certificate Synchronization', 'certificates'),
  ...secretRoutes,
  ...certificateRoutes,
  ...backupRoutes,
]
