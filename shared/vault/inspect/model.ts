import * as z from 'zod'
import { object, strictObject } from '../../base/lazy-fields.ts'
import { NameOrId } from '../../http/common-fields.ts'
import { KEY_STATES } from '../keys/model.ts'

/** Ours: the largest ciphertext of a protocol has 67 KB, and its additional data 64 KB. */
const CHARACTERS_MOST = 131_072
const Base64 = z.string().max(CHARACTERS_MOST)

/** A ciphertext, in the parts that its protocol returned. */
export const InspectCiphertext = strictObject(() => ({
  ciphertext: Base64.min(1).meta({ description: 'in base64 of either alphabet; a JWE as its text' }),
  iv: Base64.optional().meta({ description: 'in base64, where the protocol returns it apart' }),
  tag: Base64.optional().meta({ description: 'in base64, where the protocol returns it apart' }),
  metadata: Base64.optional().meta({ description: 'in base64, where the protocol returns it apart' }),
  aad: Base64.optional().meta({ description: 'additional data that was bound to the ciphertext, in base64' }),
  endpoint: NameOrId.optional().meta({
    description: 'id or name of the endpoint, key store or vault that is to be searched; all of them without it',
  }),
  key: NameOrId.optional().meta({
    description: 'id or name of the local key that is to be searched; required for an exported key',
  }),
}))
export type InspectCiphertext = z.infer<typeof InspectCiphertext>

const Named = object(() => ({
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  uri: z.string(),
}))

/** What is known of a ciphertext; never its content. */
export const Inspection = object(() => ({
  recognized: z.boolean().meta({ description: 'whether the bytes have a form that this service makes' }),
  kind: z.string().optional(),
  proof: z
    .enum(['authenticated', 'header'])
    .optional()
    .meta({ description: 'whether the key authenticated the bytes, or only their header names it' }),
  domain: z.object({ id: z.string(), name: z.string() }).optional(),
  endpoint: Named.optional().meta({ description: 'the endpoint, key store or vault that created it' }),
  key: Named.optional().meta({ description: 'the key of the cloud that created it' }),
  local_key: z
    .object({
      id: z.string(),
      uri: z.string(),
      name: z.string(),
      version: z.int(),
      state: z.enum(KEY_STATES),
      latest: z.boolean(),
    })
    .optional()
    .meta({ description: 'the version of the local key that created it' }),
  can_be_opened: z.boolean().optional().meta({ description: 'whether the service would open it now' }),
  obstacles: z.array(z.string()).optional().meta({ description: 'why it would not' }),
  opened_by: z
    .array(z.object({ kind: z.string(), names: z.array(z.string()), total: z.int() }))
    .optional()
    .meta({ description: 'callers who may have it opened if no obstacle exists; at most 20 names of each kind' }),
}))
export type Inspection = z.infer<typeof Inspection>
