import type { Route } from './call.ts'

type Run = Route['run']
type Made = (operation: string, path: string, run: Run) => Route

const made =
  (kind: Pick<Route, 'service' | 'method' | 'rate' | 'isRetrySafe'>): Made =>
  (operation, path, run) => ({ ...kind, operation, path: `/20180608${path}`, run })

/**
 * Routes of the key service, by service and class of requests. Every POST accepts a retry token, except for
 * cryptography.
 */
export const vaultRead = made({ service: 'vaults', method: 'GET', rate: 'provisioning-read', isRetrySafe: false })
export const vaultPost = made({ service: 'vaults', method: 'POST', rate: 'provisioning-write', isRetrySafe: true })
export const vaultPut = made({ service: 'vaults', method: 'PUT', rate: 'provisioning-write', isRetrySafe: false })
export const keyRead = made({ service: 'keys', method: 'GET', rate: 'management-read', isRetrySafe: false })
export const keyPost = made({ service: 'keys', method: 'POST', rate: 'management-write', isRetrySafe: true })
export const keyPut = made({ service: 'keys', method: 'PUT', rate: 'management-write', isRetrySafe: false })
/** Scheduling, cancelling and moving count as provisioning. */
export const keyProvision = made({ service: 'keys', method: 'POST', rate: 'provisioning-write', isRetrySafe: true })
export const use = made({ service: 'crypto', method: 'POST', isRetrySafe: false })
