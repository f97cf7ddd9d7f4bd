import { badParameter, conflict, forbidden, refusal, type ApiError } from '../wire/errors.ts'
import { versionOf, type Held, type HeldItem, type HeldVersion, type Kind } from './held.ts'
import { look, TRANSIT_MS } from '../state/passing-time.ts'
import type { VaultCall } from './vault-call.ts'

export const NOUNS: Readonly<Record<Kind, 'Key' | 'Secret' | 'Certificate'>> = {
  keys: 'Key',
  secrets: 'Secret',
  certificates: 'Certificate',
}

const NAME = /^[0-9a-zA-Z-]{1,127}$/
const RECOVERY_HINT =
  'If you recently deleted this {} you may be able to recover it using the correct recovery command. For help resolving this issue, please see https://go.microsoft.com/fwlink/?linkid=2125182'

/** @throws ApiError BadParameter */
export function requireName(name: string): string {
  if (NAME.test(name)) return name
  throw badParameter(`The request URI contains an invalid name: ${name}`)
}

export function notFound(kind: Kind, name: string): ApiError {
  const noun = NOUNS[kind]
  const word = noun.toLowerCase()
  return refusal(
    404,
    `${noun}NotFound`,
    `A ${word} with (name/id) ${name} was not found in this key vault. ${RECOVERY_HINT.replace('{}', word)}`,
  )
}

/** An existing item that is not deleted; counts as a read of it. @throws ApiError KeyNotFound and the like */
export function live<K extends Kind>({ state, vault }: VaultCall, kind: K, name: string): Held[K] {
  const item = state.item(kind, vault.name, requireName(name))
  if (item === undefined || item.deleted !== undefined) throw notFound(kind, name)
  const isChanging = item.transit !== undefined || (item.hiddenLooks ?? 0) > 0
  const isSeen = look(item)
  if (isChanging) state.save(kind, [item])
  if (!isSeen) throw notFound(kind, name)
  return item
}

/** @param id of the version; default: the latest @throws ApiError KeyNotFound and the like */
export function versionIn<V extends HeldVersion>(kind: Kind, item: HeldItem<V>, id: string): V {
  const version = versionOf(item, id)
  if (version === undefined) throw notFound(kind, `${item.name}/${id}`)
  return version
}

/** A deleted item; counts as a read of it. @throws ApiError KeyNotFound and the like */
export function deleted<K extends Kind>({ state, vault }: VaultCall, kind: K, name: string): Held[K] {
  const noun = NOUNS[kind]
  const gone = () => refusal(404, `${noun}NotFound`, `Deleted ${noun} not found: ${name}`)
  const item = state.item(kind, vault.name, requireName(name))
  if (item?.deleted === undefined) throw gone()
  if (item.transit === undefined) return item
  const isSeen = look(item)
  state.save(kind, [item])
  if (!isSeen) throw gone()
  return item
}

/**
 * The item that a new version would extend, if any.
 * @throws ApiError Conflict while the name belongs to a deleted item or one in transit
 */
export function joined<K extends Kind>({ state, vault }: VaultCall, kind: K, name: string): Held[K] | undefined {
  const item = state.item(kind, vault.name, requireName(name))
  const noun = NOUNS[kind]
  if (item?.transit?.state === 'deleting')
    throw conflict(
      `${noun} ${name} is currently being deleted and cannot be re-created; retry later.`,
      'ObjectIsBeingDeleted',
    )
  if (item?.transit?.state === 'recovering')
    throw conflict(
      `${noun} ${name} is currently being recovered and cannot be re-created; retry later.`,
      'ObjectIsBeingRecovered',
    )
  if (item?.deleted !== undefined)
    throw conflict(
      `${noun} ${name} is currently in a deleted but recoverable state, and its name cannot be reused; in this state, the ${noun.toLowerCase()} can only be recovered or purged.`,
      'ObjectIsDeletedButRecoverable',
    )
  return item
}

/** @throws ApiError Forbidden for the key or secret of a certificate */
export function requireUnmanaged(kind: Kind, item: HeldItem<HeldVersion> | undefined): void {
  if (item?.managed === true)
    throw forbidden(`The operation is not allowed on a ${NOUNS[kind].toLowerCase()} that is managed by a certificate.`)
}

/** Members of a new item, which may take a while to become visible. */
export const asNew = ({ state }: Pick<VaultCall, 'state'>): { readonly hiddenLooks?: number } => {
  const { creation } = state.delays()
  return creation > 0 ? { hiddenLooks: creation } : {}
}

export const inTransit = (
  { state }: Pick<VaultCall, 'state'>,
  word: 'deleting' | 'recovering',
  looksLeft: number,
): HeldItem<HeldVersion>['transit'] =>
  looksLeft > 0 ? { state: word, looksLeft, until: state.now() + TRANSIT_MS } : undefined
