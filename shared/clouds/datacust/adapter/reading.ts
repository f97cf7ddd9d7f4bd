import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { ask, askOpen, everyPage } from './client.ts'
import type { Datacust, DatacustEntry, DatacustKeyRead, DatacustPlace, DatacustVersionRead } from './types.ts'
import { Activated, Group, groupRead, Key, keyRead, Version } from './wire.ts'

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

export const groups: Datacust['groups'] = async (entry) =>
  (await everyPage(entry, Group, { path: '/groups', query: { $expand: 'keystore' } })).map(groupRead)

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

/** Every key of the group, oldest first as the cloud lists them. */
export const keysOf = async ({ group: { group_id }, ...entry }: DatacustPlace): Promise<DatacustKeyRead[]> =>
  (await everyPage(entry, Key, { path: '/keys', query: { $filter: equals('groupId', group_id) } })).map(keyRead)

export const read: Datacust['read'] = (place, ref) => ifThere(getKey(place, ref))

/** Refuses a group that the connection no longer sees: its keys would seem gone. @throws Refusal CLOUD_NOT_FOUND */
async function assertSeen(place: DatacustPlace): Promise<void> {
  if ((await group(place, place.group.group_id)) === undefined)
    throw new Refusal('CLOUD_NOT_FOUND', 'Datacust does not show the group to the connection.')
}

/** Keys are listed whole, in one pass. */
export async function survey(place: DatacustPlace): Promise<Survey<DatacustKeyRead>> {
  await assertSeen(place)
  const found = new Map((await keysOf(place)).map((key) => [key.ref, key]))
  return { read: (ref) => Promise.resolve(found.get(ref)) }
}

export async function refs(place: DatacustPlace): Promise<RefPage> {
  return { refs: (await keysOf(place)).map(({ ref }) => ref) }
}

/** Versions as the list has them; the number of the primary one is part of the key's description. */
export const versions: Datacust['versions'] = async (place, ref) => {
  const [key, found] = await Promise.all([getKey(place, ref), everyPage(place, Version, { path: versionsPath(ref) })])
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
          created: created ?? undefined,
        }),
      }
      return { ref: String(number), param }
    })
}

export const version: Datacust['version'] = async (place, ref, number) =>
  (await ifThere(versions(place, ref)))?.find((one) => one.ref === number)
