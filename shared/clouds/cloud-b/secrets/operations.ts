import type { Route } from '../../../http/operation.ts'
import { routesOn } from '../../../resource/routes.ts'
import { itemRoutes, removingRecord } from '../items/item-routes.ts'
import { CloudBSecret, CloudBSecretQuery, CreateCloudBSecret, UpdateCloudBSecret } from './model.ts'
import { createSecret, getSecret, listSecrets, SECRET_ACTIONS, secretKind, updateSecret } from './secrets.ts'

const on = routesOn({
  at: '/v1/keymgr/cloud-b/secrets',
  answers: CloudBSecret,
  reads: 'keymgr-users',
  changes: 'keymgr-users',
})

/** Secrets, every version a resource. */
export const secretRoutes: readonly Route[] = [
  on.list('List Cloud-b Secrets', CloudBSecretQuery, listSecrets),
  on.create('Create Cloud-b Secret', CreateCloudBSecret, createSecret), // for an existing name: creates another version
  on.get('Get Cloud-b Secret', getSecret),
  on.update('Update Cloud-b Secret', UpdateCloudBSecret, updateSecret),
  on.remove('Remove Cloud-b Secret', removingRecord(secretKind)),
  ...itemRoutes(on, 'Secret', SECRET_ACTIONS),
]
