import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { Banner } from './model.ts'

const StoredBanner = extended(Banner, () => ({ name: z.enum(['pre-auth', 'post-auth']), updatedAt: z.string() }))
export type StoredBanner = z.infer<typeof StoredBanner>

/** Supported reads: a banner by name. Both belong to the root domain. */
export const banners = entity({
  name: 'banner',
  schema: StoredBanner,
  id: ({ name }) => name,
  sets: () => [],
  row: () => ({}),
})
