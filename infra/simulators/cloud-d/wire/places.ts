import { cryptographyRoutes } from '../keys/cryptography.ts'
import { keyRoutes } from '../keys/operations.ts'
import { versionRoutes } from '../keys/versions.ts'
import { privateEndpointRoutes } from '../external/private-endpoints.ts'
import { identityRoutes } from '../directory/operations.ts'
import { backupRoutes } from '../storage/backups.ts'
import { storageRoutes } from '../storage/operations.ts'
import { auditRoutes } from '../audit/operations.ts'
import { vaultRoutes } from '../vaults/operations.ts'
import type { Route, Service } from './call.ts'

/** The host of a path: all hosts of the cloud are on one port, each below its own path. */
export interface Place {
  readonly service: Service
  readonly region: string
  /** Part of a vault's own addresses. */
  readonly short?: string
  /** Path below the host. */
  readonly path: string
}

const HOSTS: readonly { readonly pattern: RegExp; readonly service: Service }[] = [
  { pattern: /^\/kms\/(?<region>[a-z0-9-]+)(?<path>\/\d{8}\/.*)$/, service: 'vaults' },
  { pattern: /^\/kms\/(?<region>[a-z0-9-]+)\/(?<short>[a-z2-7]+)\/management(?<path>\/.*)$/, service: 'keys' },
  { pattern: /^\/kms\/(?<region>[a-z0-9-]+)\/(?<short>[a-z2-7]+)\/crypto(?<path>\/.*)$/, service: 'crypto' },
  { pattern: /^\/identity\/(?<region>[a-z0-9-]+)(?<path>\/.*)$/, service: 'identity' },
  { pattern: /^\/objectstorage\/(?<region>[a-z0-9-]+)(?<path>\/.*)$/, service: 'storage' },
  { pattern: /^\/audit\/(?<region>[a-z0-9-]+)(?<path>\/.*)$/, service: 'audit' },
]

/** @param pathname decoded */
export function placeOf(pathname: string): Place | undefined {
  for (const { pattern, service } of HOSTS) {
    const { region, short, path } = pattern.exec(pathname)?.groups ?? {}
    if (region === undefined || path === undefined) continue
    return { service, region, path, ...(short !== undefined && { short }) }
  }
  return undefined
}

const ROUTES: readonly (Route & { readonly pattern: RegExp })[] = [
  ...vaultRoutes,
  ...privateEndpointRoutes,
  ...keyRoutes,
  ...versionRoutes,
  ...cryptographyRoutes,
  ...identityRoutes,
  ...storageRoutes,
  ...backupRoutes,
  ...auditRoutes,
].map((route) => ({ ...route, pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }))

export interface FoundRoute {
  readonly route: Route
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>
}

/** Literal segments take precedence: `/keys/import` is not a key. */
export function routeOf(method: string, { service, path }: Place): FoundRoute | undefined {
  const found = ROUTES.filter((each) => each.service === service && each.method === method && each.pattern.test(path))
  const route = found.find((each) => !each.pattern.source.includes('(')) ?? found[0]
  return route && { route, params: { ...route.pattern.exec(path)?.groups } }
}

/** Whether the path has a route for another method. */
export const isServed = ({ service, path }: Place): boolean =>
  ROUTES.some((each) => each.service === service && each.pattern.test(path))
