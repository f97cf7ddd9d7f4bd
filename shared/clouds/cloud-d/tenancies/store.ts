import { entity } from '../../../store/entity.ts'
import { CloudDTenancy } from '../vaults/model.ts'

/** Reads served: a tenancy by id; by the cloud's id, unique in a domain; all of them. */
export const cloudDTenancies = entity({
  name: 'cloud-d-tenancy',
  schema: CloudDTenancy,
  id: ({ id }) => id,
  unique: ({ tenancy_id }) => ({ tenancy: [tenancy_id] }),
  sets: () => ['all'],
  row: (tenancy) => tenancy,
})
