import type { Route, Run } from './call.ts'

type KmsRoute = (operation: string, path: string, permission: string, run: Run) => Route

const kmsRoute =
  (kind: Pick<Route, 'methods' | 'audit' | 'quota'>): KmsRoute =>
  (operation, path, permission, run) => ({
    ...kind,
    service: 'kms',
    operation,
    path,
    permission: `cloudkms.${permission}`,
    run,
  })

/** Routes of the key service, by the kind of operation. Permissions omit the service's name. */
export const read = kmsRoute({ methods: ['GET'], audit: 'ADMIN_READ', quota: 'read' })
export const change = kmsRoute({ methods: ['POST'], audit: 'ADMIN_WRITE', quota: 'write' })
export const update = kmsRoute({ methods: ['PATCH'], audit: 'ADMIN_WRITE', quota: 'write' })
export const remove = kmsRoute({ methods: ['DELETE'], audit: 'ADMIN_WRITE', quota: 'write' })
export const use = kmsRoute({ methods: ['POST'], audit: 'DATA_READ', quota: 'use' })
export const readKey = kmsRoute({ methods: ['GET'], audit: 'DATA_READ', quota: 'use' })
/** Reads without an audit entry. */
export const look = kmsRoute({ methods: ['GET'], quota: 'read' })
