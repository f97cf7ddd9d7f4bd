import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { Survey } from '../../../cloud/contract.ts'
import { ask, everyRow, rowsOf } from './client.ts'
import type { Crm, CrmEntry, CrmSecretRead } from './types.ts'
import { Secret, SECRET_READ, secretRead, SECRETS } from './wire.ts'

export const secretPath = (ref: string): string => `sobjects/TenantSecret/${encodeURIComponent(ref)}`

/** Every secret of the organization. @throws Refusal CLOUD_… */
export const everySecret = async (entry: CrmEntry): Promise<CrmSecretRead[]> =>
  (await everyRow(entry, SECRETS, Secret)).map(secretRead)

/** @throws Refusal CLOUD_NOT_FOUND */
export const getSecret = async (entry: CrmEntry, ref: string): Promise<CrmSecretRead> =>
  secretRead(await ask(entry, 'GET', `${secretPath(ref)}?${SECRET_READ}`, Secret))

export const read: Crm['read'] = (place, ref) => ifThere(getSecret(place, ref))

export const refs: Crm['refs'] = async (place, cursor) => {
  const { rows, next } = await rowsOf(place, SECRETS, Secret, { next: cursor })
  return { refs: rows.map(({ Id }) => Id), ...defined({ next }) }
}

/** Ours: reads all secrets together, a few thousand in a call, so that a synchronization uses little of the quota. */
export async function survey(place: CrmEntry): Promise<Survey<CrmSecretRead>> {
  const all = new Map((await everySecret(place)).map((secret) => [secret.ref, secret]))
  return { read: (ref) => Promise.resolve(all.get(ref)) }
}

export const registered: Crm['registered'] = async (place, kid) =>
  (await everySecret(place)).findLast(({ param }) => param.RemoteKeyIdentifier === kid)
