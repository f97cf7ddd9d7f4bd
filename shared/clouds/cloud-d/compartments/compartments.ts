import { Refusal } from '../../../base/errors.ts'
import { resourceUri } from '../../../base/ids.ts'
import { allFound } from '../../../cloud/containers/add-containers.ts'
import type { Context } from '../../../http/context.ts'
import { newCommonFields } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { CloudDCompartment as CloudDCompartmentRead } from '../adapter/types.ts'
import { cloudD } from '../adapter.ts'
import { connectionNamed, entryOf, type OwnConnection } from '../place.ts'
import { tenancyOf } from '../tenancies/tenancies.ts'
import { CloudDCompartment, CompartmentQuery, type AddCompartments } from '../vaults/model.ts'
import { cloudDCompartments } from './store.ts'

/**
 * The choice of compartments for new keys. Ours: a key may be created in any other compartment that the connection
 * reaches.
 */
export const compartments = resource({
  entity: cloudDCompartments,
  noun: 'compartment',
  title: 'Cloud-d Compartment',
  at: '/v1/keymgr/cloud-d/compartments',
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
  answers: CloudDCompartment,
  query: CompartmentQuery,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'cloud-d-compartment', id),
  audited: ['name', 'compartment_id', 'tenancy', 'connection'],
})

/** A compartment that the connection reaches, possibly the root. Read once per request. @throws Refusal CLOUD_… */
export const compartmentAt = (
  context: Context,
  connection: OwnConnection,
  id: string,
): Promise<CloudDCompartmentRead | undefined> =>
  context.once(`cloud-d compartment ${connection.item.id} ${connection.rev} ${id}`, async () =>
    cloudD.compartment(await entryOf(context, connection), id),
  )

/** @throws Refusal NOT_FOUND, NAME_TAKEN, RULE_BROKEN, CLOUD_… */
export async function addCompartments(context: Context, body: AddCompartments): Promise<CloudDCompartment[]> {
  const { caller, changes, about } = context
  const connection = await connectionNamed(context, body.connection)
  const { tenancy } = await tenancyOf(context, connection)
  const named = { names: body.compartment_id, pointerAt: (at: number) => `#/compartment_id/${at}` }
  const read = (id: string) => compartmentAt(context, connection, id)
  const found = await allFound('compartment', named, read, 'is no compartment that the connection reaches')
  const { name, cloud_name } = connection.item
  const added = found.map((one): CloudDCompartment => ({
    ...newCommonFields(compartments, context),
    ...one,
    tenancy,
    connection: name,
    cloud_name,
  }))
  for (const compartment of added)
    changes.create(cloudDCompartments, caller.domain.id, compartment, (_kind, id) => {
      const errors = [{ pointer: named.pointerAt(named.names.indexOf(id)), detail: 'is there already' }]
      return new Refusal('NAME_TAKEN', `The compartment ${id} is there already.`, { errors })
    })
  const [first] = added
  const uri = first?.uri ?? connection.item.uri
  about({ uri, name: first?.name ?? tenancy, after: { compartment_id: named.names, connection: name } })
  return added
}
