import type { SimulatedGroup } from '../login/directory.ts'
import { groupsOf } from '../groups/operations.ts'
import type { HeldKey, HeldVersion } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { conflict, notFound } from '../wire/errors.ts'
import { isRestoring } from './describe.ts'

export interface FoundKey {
  readonly key: HeldKey
  readonly group: SimulatedGroup
}

/** A key of a group that the caller sees. @throws ApiError 404 */
export function keyWithId(call: Call, id: string): FoundKey {
  const key = call.state.key(id)
  const group = groupsOf(call).find((each) => each.id === key?.groupId)
  if (key === undefined || group === undefined) throw notFound('key')
  return { key, group }
}

/** The key of the path, unless it is being restored. @throws ApiError 404, 409 */
export function readyKey(call: Call): FoundKey {
  const found = keyWithId(call, call.param('keyId'))
  if (isRestoring(found.key, call.state.now())) throw conflict('The key is being restored.')
  return found
}

/** @throws ApiError 404 */
export function versionOf({ versions }: HeldKey, number: string | number): HeldVersion {
  const found = versions.find((version) => String(version.number) === String(number))
  if (found === undefined) throw notFound('version')
  return found
}
