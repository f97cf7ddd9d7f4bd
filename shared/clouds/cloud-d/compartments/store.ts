import { entity } from '../../../store/entity.ts'
import { CloudDCompartment } from '../vaults/model.ts'

/** Reads served: a compartment by id; by the cloud's id, unique in a domain; all of them. */
export const cloudDCompartments = entity({
  name: 'cloud-d-compartment',
  schema: CloudDCompartment,
  id: ({ id }) => id,
  unique: ({ compartment_id }) => ({ compartment: [compartment_id] }),
  sets: () => ['all'],
  row: (compartment) => compartment,
})
