import type { Call } from './call.ts'
import { LOCATIONS } from './directory.ts'
import { invalid, notFound } from './errors.ts'
import type { HeldJob, HeldKey, HeldRing, HeldVersion } from './held.ts'
import { ringOf, shortName, versionNumbered } from './held.ts'

const SHORT_ID = /^[a-zA-Z0-9_-]{1,63}$/

/** The id of a new resource. @throws ApiError INVALID_ARGUMENT */
export function newId({ query }: Call, name: string): string {
  const id = query.get(name) ?? ''
  if (SHORT_ID.test(id)) return id
  throw invalid(`The request has an invalid argument: ${name} must match ${SHORT_ID.source}.`)
}

/** @throws ApiError INVALID_ARGUMENT unless the location in the name exists */
export function requireLocation(name: string): void {
  const id = name.split('/')[3] ?? ''
  if (!LOCATIONS.some((location) => location.id === id)) throw invalid(`Location '${id}' does not exist.`)
}

/** @throws ApiError NOT_FOUND */
export function ringNamed({ state }: Call, name: string): HeldRing {
  requireLocation(name)
  const ring = state.rings.get(name)
  if (ring === undefined) throw notFound(`KeyRing ${name}`)
  return ring
}

/** @throws ApiError NOT_FOUND */
export function keyNamed(call: Call, name: string): HeldKey {
  ringNamed(call, ringOf(name))
  const key = call.state.key(name)
  if (key === undefined) throw notFound(`CryptoKey ${name}`)
  return key
}

/** A version and its key. @throws ApiError NOT_FOUND */
export function versionNamed(call: Call, name: string): { readonly key: HeldKey; readonly version: HeldVersion } {
  const key = keyNamed(call, name.split('/').slice(0, 8).join('/'))
  const version = versionNumbered(key, Number(shortName(name)))
  if (version === undefined) throw notFound(`CryptoKeyVersion ${name}`)
  return { key, version }
}

/** @throws ApiError NOT_FOUND */
export function jobNamed(call: Call, name: string): HeldJob {
  ringNamed(call, ringOf(name))
  const job = call.state.job(name)
  if (job === undefined) throw notFound(`ImportJob ${name}`)
  return job
}
