import * as z from 'zod'

export const KeyPassport = z.object({
  passport: z.string().meta({
    description:
      'a compact JWS (ES256, typ keymgr-passport+jwt) about the key: its origin, versions, material and evidence',
  }),
})
export type KeyPassport = z.infer<typeof KeyPassport>
