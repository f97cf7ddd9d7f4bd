import type * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { ask, askOpen, everyPage } from './client.ts'
import type { Datacust, DatacustEntry, DatacustKeyRead, DatacustPlace, DatacustVersionRead } from './types.ts'
import { Activated, Group, groupRead, Identified, Key, keyRead, utcRead, Version } from './wire.ts'

export const keyPath = (ref: string): string => `/keys/${encodeURIComponent(ref)}`
export const versionsPath = (ref: string): string => `${keyPath(ref)}/versions`

/** A value in a filter that contains a quote or a space cannot change the filter. */
const PLAIN = /^[A-Za-z0-9._-]+$/
export const equals = (field: string, value: string): string =>
  `${field} eq ${PLAIN.test(value) ? value : `'${value.replaceAll("'", "''")}'`}`

export const activate: Datacust['activate'] = async (connection, budget) => {
  const { api_key: apiKey, secret } = connection.technical ?? { api_key: '', secret: '' }
  const call = { method: 'PUT', path: '/auth/credentialActivate', body: { apiKey, secret }, reply: Activated } as const
  return (await askOpen({ connection, budget, patience: 'request' }, call)).secret
}

/** A group without a usable id or keystore is left out, so that it does not hide the others. */
export const groups: Datacust['groups'] = async (entry) =>
  (await everyPage(entry, Group, { path: '/groups', query: { $expand: 'keystore' } }, () => undefined)).map(groupRead)

/** Unknown ids and groups that the connection does not see have the same answer. */
export const group: Datacust['group'] = async (entry: DatacustEntry, groupId) => {
  const query = { $filter: equals('id', groupId), $expand: 'keystore' }
  const found = await everyPage(entry, Group, { path: '/groups', query })
  const read = found.find(({ id }) => id === groupId)
  return read && groupRead(read)
}

export const test: Datacust['test'] = async (connection, budget) => {
  await groups({ connection, budget, patience: 'request' })
}

/** @throws Refusal CLOUD_NOT_FOUND */
export const getKey = async (place: DatacustPlace, ref: string): Promise<DatacustKeyRead> =>
  keyRead(await ask(place, { method: 'GET', path: keyPath(ref), reply: Key }))

/**
 * Items of the group, oldest first as the cloud lists them, and the names of those with an unexpected form, by their
 * ids. Ours: one without a usable id is left out.
 */
export async function listed<Item extends z.ZodType>(
  { group: { group_id }, ...entry }: DatacustPlace,
  path: string,
  item: Item,
): Promise<{ readonly items: z.infer<Item>[]; readonly odd: ReadonlyMap<string, string | undefined> }> {
  const odd = new Map<string, string | undefined>()
  const items = await everyPage(entry, item, { path, query: { $filter: equals('groupId', group_id) } }, (one) => {
    const { data } = Identified.safeParse(one)
    if (data !== undefined) odd.set(data.id, data.name)
  })
  return { items, odd }
}

/** The keys of the group, and those with an unexpected form. */
export async function keysListed(place: DatacustPlace) {
  const { items, odd } = await listed(place, '/keys', Key)
  return { keys: items.map(keyRead), odd }
}

/** Reads single items of a list; one with an unexpected form is read alone, so that the refusal is only its own. */
export const surveyOf = <Read extends { readonly ref: string }>(
  items: readonly Read[],
  odd: ReadonlyMap<string, unknown>,
  read: (ref: string) => Promise<Read | undefined>,
): Survey<Read> => {
  const found = new Map(items.map((one) => [one.ref, one]))
  return {
    refs: [...found.keys(), ...odd.keys()],
    read: (ref) => (odd.has(ref) ? read(ref) : Promise.resolve(found.get(ref))),
  }
}

export const read: Datacust['read'] = (place, ref) => ifThere(getKey(place, ref))

/**
 * The place with its group as the cloud has it now. A group that the connection no longer sees is refused: its keys
 * would seem gone. @throws Refusal CLOUD_NOT_FOUND
 */
export async function placeNow(place: DatacustPlace): Promise<DatacustPlace> {
  const read = await group(place, place.group.group_id)
  if (read === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Datacust does not show the group to the connection.')
  return { ...place, group: read }
}

/** Keys are listed whole, in one pass. */
export async function survey(place: DatacustPlace): Promise<Survey<DatacustKeyRead>> {
  await placeNow(place)
  const { keys, odd } = await keysListed(place)
  return surveyOf(keys, odd, (ref) => read(place, ref))
}

export async function refs(place: DatacustPlace): Promise<RefPage> {
  const { keys, odd } = await keysListed(place)
  return { refs: [...keys.map(({ ref }) => ref), ...odd.keys()] }
}

/** Versions as the list has them; the number of the primary one is part of the key's description. */
export const versions: Datacust['versions'] = async (place, ref, known) => {
  const listing = everyPage(place, Version, { path: versionsPath(ref) })
  const [key, found] = await Promise.all([known ?? getKey(place, ref), listing])
  const { primaryVersion: primary, imported: isImported } = key.param.meta ?? {}
  return found
    .sort((a, b) => a.version - b.version)
    .map(({ version: number, ...read }): DatacustVersionRead => {
      const { enabled, operations, created, imported } = read
      const param = {
        version: number,
        is_primary: number === primary,
        enabled: enabled ?? true,
        ...defined({
          imported: imported ?? isImported,
          operations: operations ?? undefined,
          created: utcRead(created),
        }),
      }
      return { ref: String(number), param }
    })
}

export const version: Datacust['version'] = async (place, ref, number) =>
  (await ifThere(versions(place, ref)))?.find((one) => one.ref === number)
