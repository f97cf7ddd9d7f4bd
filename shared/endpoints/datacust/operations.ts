import * as z from 'zod'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { Uuid } from '../../http/common-fields.ts'
import type { Route } from '../../http/operation.ts'
import { routesOf } from '../../resource/routes.ts'
import { STORE_ACTIONS } from './actions.ts'
import { externalKeyResource } from './keys/keys.ts'
import {
  DatacustExternalVersion,
  DatacustExternalVersionQuery,
  JoinRotation,
  NewDatacustExternalVersion,
} from './keys/model.ts'
import { disableRotation, enableRotation } from './keys/rotation-job.ts'
import { moves } from './keys/states.ts'
import { addVersion, getVersion, listVersions } from './keys/versions.ts'
import { keystoreKind } from './stores/kind.ts'
import {
  CreateDatacustKeystore,
  DatacustKeystore,
  DatacustKeystoreQuery,
  UpdateDatacustKeystore,
} from './stores/model.ts'
import * as stores from './stores/stores.ts'

const onStores = containerRoutes(keystoreKind, {
  at: '/v1/keymgr/datacust/ekm/keystores',
  noun: 'Datacust Keystore',
  answers: DatacustKeystore,
  query: DatacustKeystoreQuery,
  actions: STORE_ACTIONS,
})
const keystores: readonly Route[] = [
  ...onStores.usual,
  onStores.create('Create Datacust Keystore', CreateDatacustKeystore, stores.createKeystore),
  onStores.update('Update Datacust Keystore', UpdateDatacustKeystore, stores.updateKeystore),
  onStores.remove('Delete Datacust Keystore', stores.removeKeystore),
  onStores.act('block', 'Block Datacust Keystore', stores.blockKeystore),
  onStores.act('unblock', 'Unblock Datacust Keystore', stores.unblockKeystore),
  onStores.act('archive', 'Archive Datacust Keystore', stores.archiveKeystore),
  onStores.act('recover', 'Recover Datacust Keystore', stores.recoverKeystore),
]

const { on, at, reads, changes } = externalKeyResource
const keys: readonly Route[] = [
  ...externalKeyResource.routes,
  on.act('enable', 'Enable Datacust External Key', moves.enable),
  on.act('disable', 'Disable Datacust External Key', moves.disable),
  on.act('block', 'Block Datacust External Key', moves.block),
  on.act('unblock', 'Unblock Datacust External Key', moves.unblock),
  on.act('archive', 'Archive Datacust External Key', moves.archive),
  on.act('recover', 'Recover Datacust External Key', moves.recover),
  on.act('enable-auto-rotation', 'Enable Datacust External Key Rotation Job', enableRotation, JoinRotation),
  on.act('disable-auto-rotation', 'Disable Datacust External Key Rotation Job', disableRotation),
]

const onVersion = routesOf({
  at: `${at}/{id}/versions`,
  one: `${at}/{id}/versions/{version_id}`,
  path: z.strictObject({ id: Uuid, version_id: Uuid }),
  idsOf: ({ id, version_id }): readonly [string, string] => [id, version_id],
  answers: DatacustExternalVersion,
  reads,
  changes,
})
const versions: readonly Route[] = [
  on.listWithin(
    'versions',
    'List Datacust External Key Versions',
    DatacustExternalVersionQuery,
    DatacustExternalVersion,
    listVersions,
  ),
  // The answer is the key with the version.
  on.succeed('versions', 'Create Datacust External Key Version', NewDatacustExternalVersion, addVersion),
  onVersion.get('Get Datacust External Key Version', getVersion),
]

/** External key stores, and the keys that the platform uses through them. */
export const routes: readonly Route[] = [...keystores, ...keys, ...versions]
