import * as z from 'zod'
import { picked } from '../../base/fields.ts'
import { Uuid } from '../../http/common-fields.ts'

/** Ours: the characters of a question in base64; clients ask in about 100 bytes. */
const CHARACTERS_MOST = 8_192

/** DER, in base64 where it travels in JSON. */
export const Bytes = z.base64().meta({ description: 'DER; as JSON, a text of its base64' })
export const Question = Bytes.max(CHARACTERS_MOST)
const BASE64 = picked(z.toJSONSchema(Bytes), 'format', 'contentEncoding', 'pattern')

export const PublishedPath = z.strictObject({ id: Uuid })
/** A question in an address, whose base64 may have the `/` that ends a segment. */
export const QuestionPath = z.strictObject({
  id: Uuid,
  // Described as base64, which is what to send. Clients leave the padding out, or write the alphabet for URLs.
  request: z
    .string()
    .max(CHARACTERS_MOST)
    .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, { error: 'must be base64' })
    .meta({ ...BASE64, description: 'DER in base64, percent-encoded (RFC 6960 §A.1)' }),
})
