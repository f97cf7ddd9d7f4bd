import { containerRoutes } from '../../../cloud/containers/container-routes.ts'
import { ending } from '../../../http/danger.ts'
import type { Route } from '../../../http/operation.ts'
import { CLOUD_A_ACTIONS } from '../actions.ts'
import { archiveKms, deleteKms, recoverKms, updateKms } from './change-kms.ts'
import { createKms } from './create-kms.ts'
import { kmsKind } from './kind.ts'
import { CloudAKms, CloudAKmsQuery, CreateCloudAKms, UpdateCloudAKms } from './model.ts'

const on = containerRoutes(kmsKind, {
  at: '/v1/keymgr/cloud-a/kms',
  noun: 'Cloud-a KMS',
  plural: 'Cloud-a KMS',
  answers: CloudAKms,
  query: CloudAKmsQuery,
  actions: CLOUD_A_ACTIONS,
})

export const kmsRoutes: readonly Route[] = [
  ...on.usual,
  on.create('Create Cloud-a KMS', CreateCloudAKms, createKms), // reads no keys yet
  on.update('Update Cloud-a KMS', UpdateCloudAKms, updateKms), // changes its connection, role and regions
  ending(
    'The records of the KMS and its keys are removed; the cloud keeps the keys.',
    on.remove('Delete Cloud-a KMS', deleteKms),
  ), // does not change the cloud
  on.act('archive', 'Archive Cloud-a KMS', archiveKms), // afterwards it can only be read
  on.act('recover', 'Recover Cloud-a KMS', recoverKms),
]
