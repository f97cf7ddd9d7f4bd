import { Domain } from './model.ts'
import { entity } from '../../store/entity.ts'

/** Supported reads: a domain by id; by name; all, oldest first. All are stored in the root domain, including itself. */
export const domains = entity({
  name: 'domain',
  schema: Domain,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})
