import { entity } from '../../store/entity.ts'
import { KeyTemplate } from './model.ts'

/** Reads served: a template by id; by name; all of a domain. */
export const keyTemplates = entity({
  name: 'key-template',
  schema: KeyTemplate,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})
