import type { Journal } from '../../../base/journal.ts'
import { isMoving } from '../param.ts'
import { askVault } from './client.ts'
import { wrapped } from './creation.ts'
import { until } from './errors.ts'
import { allVersions, getKey, settledKey, surely, versionsPath } from './reading.ts'
import { assertMaterialFits } from './specs.ts'
import type { CloudD, CloudDPlace, CloudDVersionRead } from './types.ts'
import { Version, versionRead } from './wire.ts'

/** The cloud's id of the newest version, noted before another is created: the new version follows it. */
const newestBefore = (place: CloudDPlace, ref: string, journal: Journal): Promise<string> =>
  journal.step('before', async () => (await allVersions(place, ref)).at(-1)?.id ?? '')

/**
 * The first version of the origin after `before`. Ours: assumes that no other party rotates the key at the same moment.
 */
async function madeSince(
  place: CloudDPlace,
  ref: string,
  before: string,
  origin: 'INTERNAL' | 'EXTERNAL',
): Promise<string | undefined> {
  const all = await surely(allVersions(place, ref))
  const since = all.slice(all.findIndex(({ id }) => id === before) + 1)
  return since.find((version) => version.origin === origin)?.id
}

/** A version that was made just now, once it is created and the key uses it. */
const inUse = (place: CloudDPlace, ref: string, id: string): Promise<CloudDVersionRead> =>
  until(place.budget, async () => {
    const key = await surely(getKey(place, ref))
    if (isMoving(key.lifecycleState)) return undefined
    const version = (await surely(allVersions(place, ref))).find((each) => each.id === id)
    return version === undefined || isMoving(version.lifecycleState ?? '') ? undefined : versionRead(version)
  })

async function added(
  place: CloudDPlace,
  ref: string,
  origin: 'INTERNAL' | 'EXTERNAL',
  journal: Journal,
  make: () => Promise<Version>,
): Promise<CloudDVersionRead> {
  const before = await newestBefore(place, ref, journal)
  const id = await journal.step(
    'version',
    async () => (await make()).id,
    () => madeSince(place, ref, before, origin),
  )
  return inUse(place, ref, id)
}

export const createVersion: CloudD['createVersion'] = (place, ref, _spec, journal) =>
  added(place, ref, 'INTERNAL', journal, async () => {
    await settledKey(place, ref)
    const call = { method: 'POST', path: versionsPath(ref), retryToken: journal.id, reply: Version } as const
    return (await askVault(place, call)).data
  })

export const importVersion: CloudD['importVersion'] = async (place, ref, _spec, material, journal) => {
  const { keyShape } = await settledKey(place, ref)
  assertMaterialFits(keyShape, material)
  return added(place, ref, 'EXTERNAL', journal, async () => {
    const body = await wrapped(place, material)
    return (await askVault(place, { method: 'POST', path: `${versionsPath(ref)}/import`, body, reply: Version })).data
  })
}
