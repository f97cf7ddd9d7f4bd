import * as z from 'zod'
import { Name, Resource } from '../../http/common-fields.ts'
import { anyPatterns, listQuery } from '../../http/lists/list-query.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'

/** A credential that only reads the metrics, in answers. */
export const ScrapeCredential = extended(Resource, () => ({
  name: z.string(),
  created_by: z.string().meta({ description: 'name of the user who created it' }),
}))
export type ScrapeCredential = z.infer<typeof ScrapeCredential>

/** The only answer that shows the token. */
export const NewScrapeCredential = extended(ScrapeCredential, () => ({
  token: z.string().meta({ description: 'the bearer token of a scraper, which stays valid until it is deleted' }),
}))

export const CreateScrapeCredential = strictObject(() => ({
  name: Name.meta({ description: 'the program that reads the metrics' }),
}))
export const ScrapeCredentialQuery = listQuery(ScrapeCredential, () => anyPatterns('name'))
