import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { Survey } from '../../../cloud/contract.ts'
import { ask, everyRecord, oddRecord, rowsOf } from './client.ts'
import type { Crm, CrmEntry, CrmSecretRead } from './types.ts'
import { Secret, SECRET_READ, secretRead, SECRETS } from './wire.ts'

export const secretPath = (ref: string): string => `sobjects/TenantSecret/${encodeURIComponent(ref)}`

/** Every secret of the organization that can be read. @throws Refusal CLOUD_… */
export const everySecret = async (entry: CrmEntry): Promise<CrmSecretRead[]> =>
  (await everyRecord(entry, SECRETS, Secret)).rows.map(secretRead)

/** @throws Refusal CLOUD_NOT_FOUND */
export const getSecret = async (entry: CrmEntry, ref: string): Promise<CrmSecretRead> =>
  secretRead(await ask(entry, 'GET', `${secretPath(ref)}?${SECRET_READ}`, Secret))

export const read: Crm['read'] = (place, ref) => ifThere(getSecret(place, ref))

export const refs: Crm['refs'] = async (place, cursor) => {
  const { rows, odd, next } = await rowsOf(place, SECRETS, Secret, cursor)
  return { refs: [...rows.map(({ Id }) => Id), ...odd], ...defined({ next }) }
}

/** The records of a place that were read together; an odd record fails only its own reading. */
export function surveyOf<Read extends { readonly ref: string }>(
  entry: CrmEntry,
  all: readonly Read[],
  odd: readonly string[],
): Survey<Read> {
  const found = new Map(all.map((one) => [one.ref, one]))
  const unreadable = new Set(odd)
  return {
    refs: [...found.keys(), ...odd],
    read: async (ref) => {
      if (unreadable.has(ref)) throw oddRecord(entry)
      return Promise.resolve(found.get(ref))
    },
  }
}

/** Ours: reads all secrets together, a few thousand in a call, so that a synchronization uses little of the quota. */
export async function survey(place: CrmEntry): Promise<Survey<CrmSecretRead>> {
  const { rows, odd } = await everyRecord(place, SECRETS, Secret)
  return surveyOf(place, rows.map(secretRead), odd)
}

export const registered: Crm['registered'] = async (place, kid) =>
  (await everySecret(place)).findLast(({ param }) => param.RemoteKeyIdentifier === kid)
