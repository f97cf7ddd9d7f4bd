import * as z from 'zod'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** Where a banner is shown: before log-in, or after it. */
export type BannerName = 'pre-auth' | 'post-auth'

const MESSAGE_CHARACTERS = 4_096

/** Empty until an administrator sets it. */
export const Banner = object(() => ({ message: z.string() }))
export type Banner = z.infer<typeof Banner>

export const UpdateBanner = strictObject(() => ({
  message: z
    .string()
    .max(MESSAGE_CHARACTERS)
    .meta({ description: 'shown unchanged, even without a token; empty for no banner' }),
}))
export type UpdateBanner = z.infer<typeof UpdateBanner>
