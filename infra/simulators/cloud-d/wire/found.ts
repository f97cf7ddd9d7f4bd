import type { Level } from '../directory/directory.ts'
import { DAY_MS, versionOf, type HeldKey, type HeldVault, type HeldVersion, type Living } from '../state/held.ts'
import { textAt, timeAt, type Body } from './body.ts'
import type { Call } from './call.ts'
import { incorrectState, invalid, notFound, relatedNotFound } from './errors.ts'

/** The vault of the path, in the region of the address. @throws ApiError NotAuthorizedOrNotFound */
export function vaultInPath(call: Call, level: Level): HeldVault {
  const vault = call.state.vault(call.param('vaultId'))
  if (vault === undefined || vault.region !== call.region) throw notFound()
  call.require(level, vault.compartmentId)
  return vault
}

/** The key of the path: keys of another vault are not found. @throws ApiError NotAuthorizedOrNotFound */
export const keyInPath = (call: Call, level: Level): HeldKey => keyWithId(call, call.param('keyId'), level)

/** @throws ApiError NotAuthorizedOrNotFound */
export function keyWithId(call: Call, id: string, level: Level): HeldKey {
  const key = call.state.key(id)
  if (key === undefined || key.vaultId !== call.vault().id) throw notFound()
  call.require(level, key.compartmentId)
  return key
}

/** @throws ApiError NotAuthorizedOrNotFound */
export function versionInPath(call: Call, level: Level): { readonly key: HeldKey; readonly version: HeldVersion } {
  const key = keyInPath(call, level)
  const version = versionOf(key, call.param('keyVersionId'))
  if (version === undefined) throw notFound()
  return { key, version }
}

/** @throws ApiError IncorrectState */
export function requireState<State extends string>(
  what: string,
  { state }: Pick<Living<State>, 'state'>,
  ...states: readonly State[]
): void {
  if (states.includes(state)) return
  throw incorrectState(`${what} is ${state}; it must be ${states.join(' or ')}.`)
}

/** The vault of the called address, if its keys can be changed. @throws ApiError IncorrectState */
export function activeVault(call: Call): HeldVault {
  const vault = call.vault()
  requireState('The vault', vault, 'ACTIVE')
  return vault
}

/** A compartment named in the body that the caller may manage. @throws ApiError RelatedResource… */
export function compartmentIn(call: Call, body: Body): string {
  const id = textAt(body, 'compartmentId') ?? ''
  const found = call.directory.compartment(id)
  const isOpen = found?.tenancyId === call.caller.tenancy.id && found.state === 'ACTIVE'
  if (isOpen && call.may('manage', id)) return id
  throw relatedNotFound(`The compartment '${id}'`)
}

const WINDOW = { least: 7 * DAY_MS, most: 30 * DAY_MS } as const

/** Time of a deletion: 7 to 30 days from now, default 30. @throws ApiError InvalidParameter */
export function deletionTimeIn({ body, state }: Call): number {
  const now = state.now()
  const at = timeAt(body, 'timeOfDeletion') ?? now + WINDOW.most
  if (at >= now + WINDOW.least && at <= now + WINDOW.most) return at
  throw invalid('timeOfDeletion must be 7 to 30 days from now.')
}
