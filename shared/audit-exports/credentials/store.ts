import * as z from 'zod'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { PlatformCredential } from './model.ts'

const StoredPlatformCredential = extended(PlatformCredential.omit({ client_id: true }), () => ({
  /** SHA-256 of the secret, in hex; a plain hash suffices for 256 random bits */
  secret_hash: z.string(),
}))

/** Reads served: a credential by id; all of a domain. Names are unique within a domain. */
export const platformCredentials = entity({
  name: 'platform-credential',
  schema: StoredPlatformCredential,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, created_by, createdAt, updatedAt }) => ({ id, name, created_by, createdAt, updatedAt }),
})

export const credentialsPurge: PurgeStep = removing(platformCredentials, 'all')
