import { Domain } from './model.ts'
import { entity } from '../../store/entity.ts'

/** Reads served: a domain by id; by name; all, oldest first. They belong to the root domain, which is one of them. */
export const domains = entity({
  name: 'domain',
  schema: Domain,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})
