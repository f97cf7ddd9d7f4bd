import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { ScrapeCredential } from './model.ts'

const StoredScrapeCredential = extended(ScrapeCredential, () => ({
  /** SHA-256 of the secret, in hex; a plain hash suffices for 256 random bits */
  secret_hash: z.string(),
}))

/** Reads served: a credential by id; all. Names are unique. They are of the root domain, like the metrics. */
export const scrapeCredentials = entity({
  name: 'scrape-credential',
  schema: StoredScrapeCredential,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, created_by, createdAt, updatedAt }) => ({ id, name, created_by, createdAt, updatedAt }),
})
