import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { versionSortKey } from '../../store/layout.ts'
import { Secret } from './model.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { extended } from '../../base/lazy-fields.ts'

const StoredSecret = extended(Secret, () => ({
  /** whether this is the latest version */
  latest: z.boolean(),
  /** material sealed under the domain's key; absent when destroyed */
  sealed: z.string().optional(),
}))
export type StoredSecret = z.infer<typeof StoredSecret>

/** One item per version. Reads served: a version by id; the latest by name; a secret's versions by number; all secrets. */
export const secrets = entity({
  name: 'secret',
  schema: StoredSecret,
  id: ({ id }) => id,
  unique: ({ latest, name }) => (latest ? { name: [name] } : {}),
  sets: ({ latest }) => [latest ? 'latest' : 'former'],
  families: ({ name, version }) => [{ name, key: versionSortKey(version) }],
  row: ({ id, name, version, dataType, state, labels, meta, createdAt, updatedAt }) => ({
    ...{ id, name, version, dataType, state, labels, meta, createdAt, updatedAt },
  }),
})

/** Purpose under which a version's material is sealed: copied to another id or version, it does not open. */
export const sealPurpose = ({ id, version }: Pick<StoredSecret, 'id' | 'version'>): string[] => [
  'secret',
  id,
  String(version),
  'material',
]

/** Secrets, for the resealing of a domain. */
export const sealedSecrets = (set: 'latest' | 'former') => sealingFieldAgain(secrets, set, sealPurpose)
