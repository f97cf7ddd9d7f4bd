import * as z from 'zod'
import { route, type Route } from '../../http/operation.ts'
import * as virtualKeys from '../../vault/virtual-keys/operations.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { accountRoutes } from './look-ups/operations.ts'
import { bulkJobRoutes } from './bulk-jobs/operations.ts'
import { keyStoreRoutes } from './key-stores/operations.ts'
import { keyRoutes } from './keys/operations.ts'
import { kmsRoutes } from './kms/operations.ts'
import { templateRoutes } from './templates/operations.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

/** Narrows a synchronization to some regions. */
const narrowing = {
  given: { regions: z.array(z.string().min(1).max(32)).min(1).max(64).optional() },
  shown: { regions: z.array(z.string()).optional() },
}

/** The keys of cloud-a and their containers. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...kmsRoutes,
  ...keyRoutes,
  route('GET', '/v1/keymgr/virtual/keys', virtualKeys.list),
  route('POST', '/v1/keymgr/virtual/keys', virtualKeys.create),
  route('GET', '/v1/keymgr/virtual/keys/{id}', virtualKeys.get),
  route('PATCH', '/v1/keymgr/virtual/keys/{id}', virtualKeys.update),
  route('DELETE', '/v1/keymgr/virtual/keys/{id}', virtualKeys.remove),
  route('GET', '/v1/keymgr/virtual/keys/{id}/versions', virtualKeys.versions),
  ...templateRoutes,
  ...bulkJobRoutes,
  ...unfinishedWorkRoutes(NAME),
  ...synchronizationRoutes('/v1/keymgr/cloud-a/synchronization-jobs', {
    source: { cloud_name: NAME },
    containerList: CONTAINER_LIST,
    noun: 'Synchronization',
    narrowing,
  }),
  // Must precede `{id}`: the router would read `synchronization-jobs` as an id.
  ...synchronizationRoutes('/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs', {
    source: { cloud_name: NAME, of: 'key-stores' },
    containerList: CONTAINER_LIST,
    noun: 'Key Store Synchronization',
    narrowing,
  }),
  ...keyStoreRoutes,
]
