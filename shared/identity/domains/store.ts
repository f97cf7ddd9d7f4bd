import { Domain } from './model.ts'
import { entity } from '../../store/entity.ts'

/** Reads served: a domain by id; by name; all, oldest first. All belong to the root domain, itself included. */
export const domains = entity({
  name: 'domain',
  schema: Domain,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})
