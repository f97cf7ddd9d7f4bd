import * as z from 'zod'
import { object } from '../../base/lazy-fields.ts'

export const KeyPassport = object(() => ({
  passport: z.string().meta({
    description:
      'a compact JWS (ES256, typ keymgr-passport+jwt) about the key: its origin, versions, material and evidence',
  }),
}))
export type KeyPassport = z.infer<typeof KeyPassport>
