import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { MADE } from '../../../cloud/contract.ts'
import { ask, everyPage, Nothing } from './client.ts'
import { equals } from './reading.ts'
import type { DatacustPlace, DatacustReferenceChange, DatacustReferenceRead, DatacustReferences } from './types.ts'
import { Reference, referenceRead } from './wire.ts'

/* Ours: the cloud publishes neither paths nor bodies of these calls. */

const AT = '/dynamicKeyReferences'
const pathOf = (ref: string): string => `${AT}/${encodeURIComponent(ref)}`

/** Every reference of the group, oldest first as the cloud lists them. */
const referencesOf = async ({ group: { group_id }, ...entry }: DatacustPlace): Promise<DatacustReferenceRead[]> =>
  (await everyPage(entry, Reference, { path: AT, query: { $filter: equals('groupId', group_id) } })).map(referenceRead)

const bodyOf = ({ name, datacust_key_id: keyId }: DatacustReferenceChange): object => defined({ name, keyId })

/** References of a group. Ours: few, so all are read together. */
export const datacustReferences: DatacustReferences = {
  refs: async (place) => ({ refs: (await referencesOf(place)).map(({ ref }) => ref) }),

  read: async (place, ref) => {
    const found = await ifThere(ask(place, { method: 'GET', path: pathOf(ref), reply: Reference }))
    return found && referenceRead(found)
  },

  survey: async (place) => {
    const all = new Map((await referencesOf(place)).map((one) => [one.ref, one]))
    return { read: (ref) => Promise.resolve(all.get(ref)) }
  },

  // An earlier run without its answer made the newest reference of this name and key that has no record.
  create: async (place, { allow_underlying_key_exchange: allowUnderlyingKeyExchange, ...spec }, journal) => {
    const isAlike = ({ param: { name, datacust_key_id: keyId } }: DatacustReferenceRead): boolean =>
      name === spec.name && keyId === spec.datacust_key_id
    const body = { ...bodyOf(spec), allowUnderlyingKeyExchange }
    const ref = await journal.step(
      MADE,
      async () => (await ask(place, { method: 'POST', path: AT, body, reply: Reference })).id,
      async () => {
        const alike = (await referencesOf(place)).filter(isAlike)
        return (await journal.unrecorded(alike.map((one) => one.ref))).at(-1)
      },
    )
    return referenceRead(await ask(place, { method: 'GET', path: pathOf(ref), reply: Reference }))
  },

  update: async (place, ref, change) => {
    await ask(place, { method: 'PATCH', path: pathOf(ref), body: bodyOf(change), reply: Nothing })
  },

  remove: async (place, ref) => {
    await ifThere(ask(place, { method: 'DELETE', path: pathOf(ref), reply: Nothing }))
  },
}
