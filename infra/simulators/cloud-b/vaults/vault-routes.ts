import { keyBundle, keyItem } from '../keys/key-bundle.ts'
import { latest } from './held.ts'
import { certificateRoutes } from '../certificates/operations.ts'
import { cryptographyRoutes } from '../keys/cryptography.ts'
import { deletionRoutes } from './deletion.ts'
import { keyRoutes } from '../keys/operations.ts'
import { pendingRoutes } from '../certificates/pending.ts'
import { secretRoutes } from '../secrets/operations.ts'
import type { VaultRoute } from './vault-call.ts'

interface Compiled {
  readonly route: VaultRoute
  readonly pattern: RegExp
}

const compiled = (route: VaultRoute): Compiled => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
})

/** The first route that matches a path applies: words precede versions. */
const ROUTES: readonly Compiled[] = [
  ...deletionRoutes('keys', { bundle: (call, key) => keyBundle(call, key, latest(key)), item: keyItem }),
  ...cryptographyRoutes,
  ...keyRoutes,
  ...secretRoutes,
  ...pendingRoutes,
  ...certificateRoutes,
].map(compiled)

export interface Routed {
  readonly route: VaultRoute
  readonly name: string
  readonly version: string
}

/** The operation of a request to a vault. */
export function routeOf(method: string, path: string): Routed | undefined {
  for (const { route, pattern } of ROUTES) {
    const found = route.method === method ? pattern.exec(path) : null
    if (found !== null) return { route, name: found.groups?.name ?? '', version: found.groups?.version ?? '' }
  }
  return undefined
}
