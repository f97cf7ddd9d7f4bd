import type { Route } from './call.ts'
import { cryptographyRoutes } from './operations/cryptography.ts'
import { importRoutes } from './operations/import.ts'
import { keyRoutes } from './operations/keys.ts'
import { loggingRoutes } from './operations/logging.ts'
import { placeRoutes } from './operations/places.ts'
import { policyRoutes } from './operations/policies.ts'
import { rawCryptographyRoutes } from './operations/raw-cryptography.ts'
import { resourceManagerRoutes } from './operations/resource-manager.ts'
import { versionRoutes } from './operations/versions.ts'

const ROUTES: readonly (Route & { readonly pattern: RegExp })[] = [
  ...placeRoutes,
  ...keyRoutes,
  ...versionRoutes,
  ...importRoutes,
  ...policyRoutes,
  ...cryptographyRoutes,
  ...rawCryptographyRoutes,
  ...resourceManagerRoutes,
  ...loggingRoutes,
].map((route) => ({ ...route, pattern: new RegExp(`^${route.path.replaceAll('*', '[^/]+')}$`) }))

/** Route of a request, if any. @param path decoded, with a colon before its verb */
export const routeOf = (method: string, path: string): Route | undefined =>
  ROUTES.find(({ methods, pattern }) => methods.includes(method) && pattern.test(path) && isWhole(path, pattern))

/** An id contains no colon: a colon precedes a verb, which must be the route's own. */
const isWhole = (path: string, pattern: RegExp): boolean => path.includes(':') === pattern.source.includes(':')

/** Collections at the end of the path of a list or a creation. */
const COLLECTION = /\/(locations|keyRings|cryptoKeys|cryptoKeyVersions|importJobs|publicKey)$/

/** Resource of a path, without version and verb. For a collection, its parent. */
export function nameIn(path: string): string {
  const bare = path.replace(/^\/v\d\/?/, '').replace(/:[a-zA-Z]+$/, '')
  return bare.includes('/') ? bare.replace(COLLECTION, '') : ''
}
