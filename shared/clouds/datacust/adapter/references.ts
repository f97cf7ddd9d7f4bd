import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { MADE } from '../../../cloud/contract.ts'
import { ask, Nothing } from './client.ts'
import { listed, surveyOf } from './reading.ts'
import type { DatacustPlace, DatacustReferenceChange, DatacustReferenceRead, DatacustReferences } from './types.ts'
import { Reference, referenceRead } from './wire.ts'

/* Ours: the cloud publishes neither paths nor bodies of these calls. */

const AT = '/dynamicKeyReferences'
const pathOf = (ref: string): string => `${AT}/${encodeURIComponent(ref)}`

/** The references of the group, and those with an unexpected form. */
async function referencesListed(place: DatacustPlace) {
  const { items, odd } = await listed(place, AT, Reference)
  return { references: items.map(referenceRead), odd }
}

async function read(place: DatacustPlace, ref: string): Promise<DatacustReferenceRead | undefined> {
  const found = await ifThere(ask(place, { method: 'GET', path: pathOf(ref), reply: Reference }))
  return found && referenceRead(found)
}

const bodyOf = ({ name, datacust_key_id: keyId }: DatacustReferenceChange): object => defined({ name, keyId })

/** References of a group. Ours: few, so all are read together. */
export const datacustReferences: DatacustReferences = {
  refs: async (place) => {
    const { references, odd } = await referencesListed(place)
    return { refs: [...references.map(({ ref }) => ref), ...odd.keys()] }
  },

  read,

  survey: async (place) => {
    const { references, odd } = await referencesListed(place)
    return surveyOf(references, odd, (ref) => read(place, ref))
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
        const { references } = await referencesListed(place)
        return (await journal.unrecorded(references.filter(isAlike).map((one) => one.ref))).at(-1)
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
