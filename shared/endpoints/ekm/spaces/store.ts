import * as z from 'zod'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Stored } from '../../../store/entity.ts'
import { entity } from '../../../store/entity.ts'
import { extended, object } from '../../../base/lazy-fields.ts'
import { CryptoSpace } from './model.ts'
import { SPACE_KIND } from './record.ts'

const StoredCryptoSpace = extended(CryptoSpace.omit({ path: true, endpoint_count: true }), () => ({
  /** the dialect of `policy.rego` */
  dialect: z.enum(['v0', 'v1']).optional(),
}))
export type StoredCryptoSpace = z.infer<typeof StoredCryptoSpace>

/** Reads served: a space by id; by name; all. */
export const cryptoSpaces = entity({
  name: SPACE_KIND,
  schema: StoredCryptoSpace,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, keyURIHostname, blocked, createdAt, updatedAt }) => ({
    id,
    name,
    keyURIHostname,
    blocked,
    createdAt,
    updatedAt,
  }),
})

/** Domains of spaces, in the root domain: a call names a space but no domain. Read served: by id of the space. */
export const spaceOwners = entity({
  name: 'ekm-cryptospace-owner',
  schema: object(() => ({ id: z.string(), domain: z.string() })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})

/** A space of any domain. Two reads. */
export async function spaceOf(id: string): Promise<{ domain: string; space: Stored<StoredCryptoSpace> } | undefined> {
  const owner = await spaceOwners.get(ROOT_DOMAIN_ID, id)
  const space = owner && (await cryptoSpaces.get(owner.item.domain, id))
  return owner && space && { domain: owner.item.domain, space }
}
