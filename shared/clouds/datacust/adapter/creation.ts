import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { ask } from './client.ts'
import { getKey, keysListed, placeNow } from './reading.ts'
import { assertMaterialFits, isAws } from './specs.ts'
import type { Datacust, DatacustKeyRead, DatacustKeySpec, DatacustPlace } from './types.ts'
import { algorithmFor, kekOf, ownKekOf, wrapped } from './wrapping.ts'
import { Key, Made } from './wire.ts'

/** The role that the cloud turns into one of the group's application. */
const DEFAULT_ROLE = 'MASTER_KEY'
/** The role that the cloud gives a key without one. */
const NO_ROLE = 'UNSPECIFIED'

const described = (
  { group: { group_id: groupId } }: DatacustPlace,
  { name, type, operations, description = '' }: DatacustKeySpec,
) => ({ name, description, groupId, type, operations })

/**
 * The key that an earlier run created without receiving the answer: the newest one of the name and type without a
 * record. Ours: the cloud's keys cannot carry a mark.
 */
async function unrecorded(place: DatacustPlace, { name, type }: DatacustKeySpec, journal: Journal) {
  const { keys, odd } = await keysListed(place)
  const alike = keys.filter(({ param }) => param.name === name && param.type === type).map(({ ref }) => ref)
  const unreadable = [...odd].filter(([, itsName]) => itsName === name).map(([ref]) => ref)
  return (await journal.unrecorded([...unreadable, ...alike])).at(-1)
}

/** Creates a key once. @param make returns its id */
const made = (place: DatacustPlace, spec: DatacustKeySpec, journal: Journal, make: () => Promise<string>) =>
  journal.step(MADE, make, () => unrecorded(place, spec, journal))

/** A call with a role: a default role that the cloud refuses for the group is left out. */
async function withRole<T>(role: string | undefined, call: (role: string) => Promise<T>): Promise<T> {
  if (role !== undefined) return call(role)
  try {
    return await call(DEFAULT_ROLE)
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_INVALID') return call(NO_ROLE)
    throw error
  }
}

const posted = async (place: DatacustPlace, body: object): Promise<string> =>
  (await ask(place, { method: 'POST', path: '/keys', body, reply: Made })).id

export const create: Datacust['create'] = async (place, spec, journal) => {
  const { curve, size, exportable, role } = spec
  const ref = await made(place, spec, journal, () =>
    posted(place, {
      ...described(place, spec),
      enabled: true,
      imported: false,
      ...(curve === undefined ? { size } : { curve }),
      ...defined({ role }),
      ...(!isAws(place.group.keystore_provider) && { exportable: exportable ?? false }),
    }),
  )
  return getKey(place, ref)
}

/** Imports a new key: the answer to its material is the key. */
async function imported(place: DatacustPlace, spec: DatacustKeySpec, material: KeyMaterial, journal: Journal) {
  const kek = await kekOf(place, journal)
  const wrappedKey = await wrapped(place, kek, spec.type, material)
  const target = { ...described(place, spec), exportable: spec.exportable ?? false, enabled: true }
  const body = { algorithm: algorithmFor(spec.type), keyId: kek.id, version: kek.version, wrappedKey }
  return withRole(spec.role, async (role) => {
    const call = {
      method: 'POST',
      path: '/crypto/unwrap',
      body: { ...body, target: { ...target, role } },
      reply: Key,
    } as const
    return (await ask(place, call)).id
  })
}

/** Fills an empty key of AWS, once. The key-encryption key remains for later versions. */
async function filled(
  place: DatacustPlace,
  ref: string,
  { type }: DatacustKeySpec,
  material: KeyMaterial,
  journal: Journal,
): Promise<DatacustKeyRead> {
  const kek = await ownKekOf(place, ref, type)
  await journal.step(
    'filled',
    async () => {
      const body = { wrappedKey: await wrapped(place, kek, type, material), targetKeyId: ref }
      await ask(place, { method: 'POST', path: '/crypto/unwrap', body, reply: Key })
      return true
    },
    async () => ((await getKey(place, ref)).param.meta?.totalVersions ?? 0) > 0 || undefined,
  )
  return { ...(await getKey(place, ref)), kek_id: kek.id }
}

export const upload: Datacust['upload'] = async (known, spec, material, journal) => {
  assertMaterialFits(spec, material)
  const place = await placeNow(known)
  if (!isAws(place.group.keystore_provider)) {
    const ref = await made(place, spec, journal, () => imported(place, spec, material, journal))
    return getKey(place, ref)
  }
  const ref = await made(place, spec, journal, () =>
    withRole(spec.role, (role) =>
      posted(place, { ...described(place, spec), size: spec.size, enabled: false, imported: true, role }),
    ),
  )
  return filled(place, ref, spec, material, journal)
}
