import { entity } from '../../../store/entity.ts'
import { CloudDTenancy } from '../vaults/model.ts'

/** The family of tenancies with a name, by their ids. */
export const tenanciesCalled = (name: string): string => `name:${name}`

/** Reads served: a tenancy by id; by the cloud's id, unique in a domain; those with a name; all of them. */
export const cloudDTenancies = entity({
  name: 'cloud-d-tenancy',
  schema: CloudDTenancy,
  id: ({ id }) => id,
  unique: ({ tenancy_id }) => ({ tenancy: [tenancy_id] }),
  sets: () => ['all'],
  families: ({ id, tenancy }) => [{ name: tenanciesCalled(tenancy), key: id }],
  row: (tenancy) => tenancy,
})
