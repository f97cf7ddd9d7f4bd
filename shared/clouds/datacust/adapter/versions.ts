import type { Journal } from '../../../base/journal.ts'
import type { DatacustType } from '../param.ts'
import { ask } from './client.ts'
import { getKey, placeNow, version, versionsPath } from './reading.ts'
import { assertMaterialFits, isAws } from './specs.ts'
import type { Datacust, DatacustPlace, DatacustVersionRead } from './types.ts'
import { algorithmFor, kekOf, ownKekOf, renewedKek, wrapped } from './wrapping.ts'
import { Key, NewVersion } from './wire.ts'

const totalOf = async (place: DatacustPlace, ref: string): Promise<number> =>
  (await getKey(place, ref)).param.meta?.totalVersions ?? 0

/**
 * Adds a version once. @param make returns its number. Ours: assumes that no other party rotates the key at the same
 * moment
 */
async function added(
  place: DatacustPlace,
  ref: string,
  journal: Journal,
  make: () => Promise<number>,
): Promise<DatacustVersionRead> {
  const before = await journal.step('before', () => totalOf(place, ref))
  const number = await journal.step(
    'version',
    async () => String(await make()),
    async () => {
      const { meta } = (await getKey(place, ref)).param
      return (meta?.totalVersions ?? 0) > before ? String(meta?.primaryVersion) : undefined
    },
  )
  const found = await version(place, ref, number)
  return found ?? { ref: number, param: { version: Number(number), is_primary: true, enabled: true } }
}

export const createVersion: Datacust['createVersion'] = (place, ref, _spec, journal) =>
  added(place, ref, journal, async () => {
    const call = { method: 'POST', path: versionsPath(ref), body: {}, reply: NewVersion } as const
    return (await ask(place, call)).version
  })

export const importVersion: Datacust['importVersion'] = async (recorded, ref, { kek_id: known }, material, journal) => {
  const place = await placeNow(recorded)
  const { param } = await getKey(place, ref)
  assertMaterialFits(param, material)
  const type = param.type as DatacustType // `assertMaterialFits` compared it
  return added(place, ref, journal, async () => {
    const body = isAws(place.group.keystore_provider) ? await bodyForAws() : await bodyWithin()
    return (await ask(place, { method: 'POST', path: '/crypto/unwrap', body, reply: Key })).meta?.primaryVersion ?? 0
  })

  async function bodyForAws(): Promise<object> {
    const kek = known === undefined ? await ownKekOf(place, ref, type) : await renewedKek(place, known)
    return { wrappedKey: await wrapped(place, kek, type, material), targetKeyId: ref }
  }
  async function bodyWithin(): Promise<object> {
    const { id: keyId, version: number } = await kekOf(place, journal)
    const wrappedKey = await wrapped(place, { id: keyId, version: number }, type, material)
    return { algorithm: algorithmFor(type), keyId, version: number, targetKeyId: ref, wrappedKey }
  }
}
